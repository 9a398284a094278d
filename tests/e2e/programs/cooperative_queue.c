/* A GPU has one cooperative queue: who asks twice gets it twice, and who has destroyed it may ask again. All by ROCr alone, to its end. */
#include <hsa/hsa.h>
#include <stdint.h>
#include <stdio.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        if ((call) != HSA_STATUS_SUCCESS) {                                                                  \
            printf("FAILED: %s\n", #call);                                                                   \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

enum { PACKETS = 1024 };

static hsa_status_t pick(hsa_agent_t agent, void *gpu)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU)
        *(hsa_agent_t *)gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t create(hsa_agent_t gpu, hsa_queue_t **queue)
{
    return hsa_queue_create(gpu, PACKETS, HSA_QUEUE_TYPE_COOPERATIVE, NULL, NULL, UINT32_MAX, UINT32_MAX,
                            queue);
}

/* Whether the queue goes through a packet. */
static int works(hsa_queue_t *q)
{
    hsa_signal_t done;
    hsa_signal_create(1, 0, NULL, &done);
    uint64_t at = hsa_queue_add_write_index_relaxed(q, 1);
    hsa_barrier_and_packet_t *packet = (hsa_barrier_and_packet_t *)q->base_address + at % q->size;
    *packet = (hsa_barrier_and_packet_t){.header = HSA_PACKET_TYPE_INVALID, .completion_signal = done};
    __atomic_store_n(&packet->header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(q->doorbell_signal, (hsa_signal_value_t)at);
    hsa_signal_value_t left =
        hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    hsa_signal_destroy(done);
    return left == 0;
}

int main(void)
{
    hsa_agent_t gpu = {0};
    CHECK(hsa_init());
    CHECK(hsa_iterate_agents(pick, &gpu));
    for (int i = 0; i < 3; i++) {
        hsa_queue_t *one, *other;
        CHECK(create(gpu, &one));
        CHECK(create(gpu, &other));
        printf("%s, ", one == other ? "one queue" : "two queues");
        CHECK(hsa_queue_destroy(other));
        printf("%s\n", works(one) ? "works" : "fails");
        CHECK(hsa_queue_destroy(one));
    }
    CHECK(hsa_shut_down());
    puts("ended");
    return 0;
}
