/* The system's kfd_ioctl.h includes <drm/drm.h> for its integer types, but not every distribution installs
 * it. */
#include <linux/types.h>
