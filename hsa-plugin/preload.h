/* preload.h - how the tool library asks liblanescope-preload.so to be called before the process ends. */
#ifndef HSA_PLUGIN_PRELOAD_H
#define HSA_PLUGIN_PRELOAD_H

#define LS_PRELOAD_REGISTER "lanescope_preload_register"
/* finish: called once or more, on the thread that ends the process or replaces its image; NULL takes it back.
 */
typedef void (*ls_preload_register)(void (*finish)(void));

#endif
