/*
 * Our declarations of the ioctl structures against the system's header, as far as the header is that new.
 */
/* One name is the same in both. */
#define kfd_event_data linux_event_data
#include <linux/kfd_ioctl.h>
#undef kfd_event_data
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <cmocka.h>

#include "soft-gpu/kfd/abi.h"

#define SAME_SIZE(ours, theirs) assert_int_equal(sizeof(struct ours), sizeof(struct theirs))
#define SAME_PLACE(ours, a, theirs, b) assert_int_equal(offsetof(struct ours, a), offsetof(struct theirs, b))

static void sizes(void **state)
{
    (void)state;
    SAME_SIZE(kfd_get_version, kfd_ioctl_get_version_args);
    SAME_SIZE(kfd_update_queue, kfd_ioctl_update_queue_args);
    SAME_SIZE(kfd_clock_counters, kfd_ioctl_get_clock_counters_args);
    SAME_SIZE(kfd_aperture, kfd_process_device_apertures);
    SAME_SIZE(kfd_get_apertures, kfd_ioctl_get_process_apertures_new_args);
    SAME_SIZE(kfd_create_event, kfd_ioctl_create_event_args);
    SAME_SIZE(kfd_event_data, linux_event_data);
    SAME_SIZE(kfd_wait_events, kfd_ioctl_wait_events_args);
    SAME_SIZE(kfd_tile_config, kfd_ioctl_get_tile_config_args);
    SAME_SIZE(kfd_alloc_memory, kfd_ioctl_alloc_memory_of_gpu_args);
    SAME_SIZE(kfd_map_memory, kfd_ioctl_map_memory_to_gpu_args);
    SAME_SIZE(kfd_svm, kfd_ioctl_svm_args);
    SAME_SIZE(kfd_dmabuf_info, kfd_ioctl_get_dmabuf_info_args);
    SAME_SIZE(kfd_import_dmabuf, kfd_ioctl_import_dmabuf_args);
    SAME_SIZE(kfd_available_memory, kfd_ioctl_get_available_memory_args);
}

static void places(void **state)
{
    (void)state;
    SAME_PLACE(kfd_create_queue, doorbell_offset, kfd_ioctl_create_queue_args, doorbell_offset);
    SAME_PLACE(kfd_create_queue, ring_size, kfd_ioctl_create_queue_args, ring_size);
    SAME_PLACE(kfd_create_queue, queue_type, kfd_ioctl_create_queue_args, queue_type);
    SAME_PLACE(kfd_create_queue, percentage, kfd_ioctl_create_queue_args, queue_percentage);
    SAME_PLACE(kfd_create_queue, queue_id, kfd_ioctl_create_queue_args, queue_id);
    SAME_PLACE(kfd_create_queue, ctl_stack_size, kfd_ioctl_create_queue_args, ctl_stack_size);
    SAME_PLACE(kfd_update_queue, percentage, kfd_ioctl_update_queue_args, queue_percentage);
    SAME_PLACE(kfd_clock_counters, system_clock, kfd_ioctl_get_clock_counters_args, system_clock_counter);
    SAME_PLACE(kfd_aperture, scratch_base, kfd_process_device_apertures, scratch_base);
    SAME_PLACE(kfd_aperture, gpu_id, kfd_process_device_apertures, gpu_id);
    SAME_PLACE(kfd_create_event, event_type, kfd_ioctl_create_event_args, event_type);
    SAME_PLACE(kfd_create_event, auto_reset, kfd_ioctl_create_event_args, auto_reset);
    SAME_PLACE(kfd_create_event, event_id, kfd_ioctl_create_event_args, event_id);
    SAME_PLACE(kfd_create_event, slot_index, kfd_ioctl_create_event_args, event_slot_index);
    SAME_PLACE(kfd_event_data, event_id, linux_event_data, event_id);
    SAME_PLACE(kfd_memory_exception, va, kfd_hsa_memory_exception_data, va);
    SAME_PLACE(kfd_wait_events, timeout, kfd_ioctl_wait_events_args, timeout);
    SAME_PLACE(kfd_wait_events, wait_result, kfd_ioctl_wait_events_args, wait_result);
    SAME_PLACE(kfd_dmabuf_info, gpu_id, kfd_ioctl_get_dmabuf_info_args, gpu_id);
    SAME_PLACE(kfd_dmabuf_info, dmabuf_fd, kfd_ioctl_get_dmabuf_info_args, dmabuf_fd);
    SAME_PLACE(kfd_import_dmabuf, dmabuf_fd, kfd_ioctl_import_dmabuf_args, dmabuf_fd);
    SAME_PLACE(kfd_tile_config, gb_addr_config, kfd_ioctl_get_tile_config_args, gb_addr_config);
    SAME_PLACE(kfd_alloc_memory, handle, kfd_ioctl_alloc_memory_of_gpu_args, handle);
    SAME_PLACE(kfd_alloc_memory, mmap_offset, kfd_ioctl_alloc_memory_of_gpu_args, mmap_offset);
    SAME_PLACE(kfd_alloc_memory, flags, kfd_ioctl_alloc_memory_of_gpu_args, flags);
    SAME_PLACE(kfd_map_memory, n_success, kfd_ioctl_map_memory_to_gpu_args, n_success);
    SAME_PLACE(kfd_svm, nattr, kfd_ioctl_svm_args, nattr);
}

static void numbers(void **state)
{
    (void)state;
    assert_int_equal(KFD_GET_VERSION, _IOC_NR(AMDKFD_IOC_GET_VERSION));
    assert_int_equal(KFD_CREATE_QUEUE, _IOC_NR(AMDKFD_IOC_CREATE_QUEUE));
    assert_int_equal(KFD_DESTROY_QUEUE, _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE));
    assert_int_equal(KFD_UPDATE_QUEUE, _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE));
    assert_int_equal(KFD_CREATE_EVENT, _IOC_NR(AMDKFD_IOC_CREATE_EVENT));
    assert_int_equal(KFD_WAIT_EVENTS, _IOC_NR(AMDKFD_IOC_WAIT_EVENTS));
    assert_int_equal(KFD_GET_PROCESS_APERTURES_NEW, _IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW));
    assert_int_equal(KFD_ALLOC_MEMORY, _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU));
    assert_int_equal(KFD_UNMAP_MEMORY, _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU));
    assert_int_equal(KFD_SVM, _IOC_NR(AMDKFD_IOC_SVM));
    assert_int_equal(KFD_SET_XNACK_MODE, _IOC_NR(AMDKFD_IOC_SET_XNACK_MODE));
    assert_int_equal(KFD_AVAILABLE_MEMORY, _IOC_NR(AMDKFD_IOC_AVAILABLE_MEMORY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(places),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
