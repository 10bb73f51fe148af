// The functions of the CUDA driver that the back end calls: one device that runs work at its
// launch.
//
// Memory:   Device memory ends at a guard page, and has non-zero contents until it is written.
//           With CUDA_EMULATOR_LACKS="device 4 6 host 4096 9" the first 6 allocations of 4 bytes of
//           device memory fail, and the first 9 of 4,096 bytes of host memory.
// Contexts: A function that needs a context ends the process if the thread has none.
#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <vector>

#include "lanes.h"

namespace {

enum Result {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_IMAGE = 200,
    NOT_FOUND = 500,
    NOT_PERMITTED = 800,
};

// Values of the driver's attributes.
enum Attribute {
    MAX_THREADS_PER_BLOCK = 1,
    WARP_SIZE = 10,
    CLOCK_RATE = 13,
    MULTIPROCESSOR_COUNT = 16,
    MEMORY_CLOCK_RATE = 36,
    GLOBAL_MEMORY_BUS_WIDTH = 37,
    COMPUTE_CAPABILITY_MAJOR = 75,
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    COOPERATIVE_LAUNCH = 95,
};

constexpr size_t PAGE_BYTES = 4096;
constexpr size_t MEMORY_BYTES = size_t{4} << 30;
constexpr int UNWRITTEN = 0xcd;
constexpr int UNITS = 4;

struct Event {
    std::chrono::steady_clock::time_point came;
};

struct Pages {
    void* first;
    size_t bytes;
};

std::mutex memory_lock;
std::map<char*, Pages> memory;
thread_local std::vector<void*> contexts;

size_t round_up(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Allocations that fail.
struct Lacking {
    struct Kind {
        char where[8];
        size_t bytes;
        std::atomic<int> left;
    };
    std::list<Kind> kinds;

    Lacking() {
        const char* told = getenv("CUDA_EMULATOR_LACKS");
        char where[8];
        size_t bytes;
        int times, read;
        while (told && sscanf(told, "%7s %zu %d%n", where, &bytes, &times, &read) == 3) {
            told += read;
            Kind& kind = kinds.emplace_back();
            strcpy(kind.where, where);
            kind.bytes = bytes;
            kind.left = times;
        }
    }

    bool has(const char* memory, size_t asked) {
        for (Kind& kind : kinds) {
            if (strcmp(memory, kind.where) == 0 && asked == kind.bytes) return kind.left.fetch_sub(1) > 0;
        }
        return false;
    }
};

Lacking lacking;

void need_context() {
    if (contexts.empty()) {
        fprintf(stderr, "CUDA emulator: the thread has no context\n");
        abort();
    }
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
    return SUCCESS;
}

int cuDriverGetVersion(int* version) {
    const char* told = getenv("CUDA_EMULATOR_DRIVER");
    *version = told ? atoi(told) : 12080;
    return SUCCESS;
}

int cuGetErrorName(int, const char** name) {
    *name = "CUDA_ERROR";
    return SUCCESS;
}

int cuGetErrorString(int, const char** text) {
    *text = "an error of the emulator";
    return SUCCESS;
}

int cuDeviceGetCount(int* count) {
    *count = 1;
    return SUCCESS;
}

int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetName(char* name, int bytes, int) {
    snprintf(name, bytes, "emulated GPU");
    return SUCCESS;
}

// Fails for a broken device.
int cuDeviceGetAttribute(int* value, int attribute, int) {
    if (getenv("CUDA_EMULATOR_BROKEN")) {
        return NOT_PERMITTED;
    }
    switch (attribute) {
        case MAX_THREADS_PER_BLOCK: *value = 1024; break;
        case WARP_SIZE: *value = 32; break;
        case MULTIPROCESSOR_COUNT: *value = UNITS; break;
        case CLOCK_RATE: *value = 1000000; break;
        case MEMORY_CLOCK_RATE: *value = 2000000; break;
        case GLOBAL_MEMORY_BUS_WIDTH: *value = 256; break;
        case COOPERATIVE_LAUNCH: *value = 1; break;
        case COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
        case MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 228 << 10; break;
        default: *value = 0; break;
    }
    return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t* bytes, int) {
    *bytes = MEMORY_BYTES;
    return SUCCESS;
}

int cuCtxCreate_v2(void** context, unsigned, int) {
    *context = malloc(1);
    contexts.push_back(*context);
    return SUCCESS;
}

int cuCtxDestroy_v2(void* context) {
    free(context);
    return SUCCESS;
}

int cuCtxPushCurrent_v2(void* context) {
    contexts.push_back(context);
    return SUCCESS;
}

int cuCtxPopCurrent_v2(void** context) {
    need_context();
    *context = contexts.back();
    contexts.pop_back();
    return SUCCESS;
}

int cuCtxGetDevice(int* device) {
    need_context();
    *device = 0;
    return SUCCESS;
}

int cuMemAlloc_v2(char** address, size_t bytes) {
    need_context();
    if (lacking.has("device", bytes)) {
        return OUT_OF_MEMORY;
    }
    const size_t used = round_up(bytes, 16), pages = round_up(used, PAGE_BYTES);
    void* first = mmap(nullptr, pages + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (first == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    mprotect(static_cast<char*>(first) + pages, PAGE_BYTES, PROT_NONE);
    *address = static_cast<char*>(first) + pages - used;
    memset(*address, UNWRITTEN, used);
    const std::lock_guard<std::mutex> guard(memory_lock);
    memory[*address] = {first, pages + PAGE_BYTES};
    return SUCCESS;
}

int cuMemFree_v2(char* address) {
    const std::lock_guard<std::mutex> guard(memory_lock);
    const auto found = memory.find(address);
    if (found == memory.end()) {
        return INVALID_VALUE;
    }
    munmap(found->second.first, found->second.bytes);
    memory.erase(found);
    return SUCCESS;
}

int cuMemHostAlloc(void** address, size_t bytes, unsigned) {
    if (lacking.has("host", bytes)) {
        return OUT_OF_MEMORY;
    }
    *address = malloc(bytes > 0 ? bytes : 1);
    return SUCCESS;
}

int cuMemFreeHost(void* address) {
    free(address);
    return SUCCESS;
}

int cuMemsetD32Async(uint32_t* address, uint32_t word, size_t words, void*) {
    for (size_t place = 0; place < words; place++) {
        address[place] = word;
    }
    return SUCCESS;
}

int cuMemcpyHtoDAsync_v2(void* to, const void* from, size_t bytes, void*) {
    memcpy(to, from, bytes);
    return SUCCESS;
}

int cuMemcpyDtoHAsync_v2(void* to, const void* from, size_t bytes, void*) {
    memcpy(to, from, bytes);
    return SUCCESS;
}

int cuStreamCreate(void** stream, unsigned) {
    *stream = malloc(1);
    return SUCCESS;
}

int cuStreamDestroy_v2(void* stream) {
    free(stream);
    return SUCCESS;
}

int cuStreamSynchronize(void*) {
    need_context();
    return SUCCESS;
}

int cuStreamWaitEvent(void*, Event*, unsigned) {
    return SUCCESS;
}

int cuEventCreate(Event** event, unsigned) {
    *event = new Event;
    return SUCCESS;
}

int cuEventDestroy_v2(Event* event) {
    delete event;
    return SUCCESS;
}

int cuEventRecord(Event* event, void*) {
    event->came = std::chrono::steady_clock::now();
    return SUCCESS;
}

int cuEventQuery(Event*) {
    return SUCCESS;
}

int cuEventSynchronize(Event*) {
    return SUCCESS;
}

int cuEventElapsedTime(float* milliseconds, Event* start, Event* end) {
    *milliseconds = std::chrono::duration<float, std::milli>(end->came - start->came).count();
    return SUCCESS;
}

int cuModuleLoadData(void** module, const char* path) {
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return *module == nullptr ? INVALID_IMAGE : SUCCESS;
}

int cuModuleUnload(void* module) {
    dlclose(module);
    return SUCCESS;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
    *function = dlsym(module, name);
    return *function == nullptr ? NOT_FOUND : SUCCESS;
}

int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned lanes, unsigned, unsigned, unsigned, void*,
                   void** parameters, void**) {
    if (x == 0 || y == 0 || z == 0 || lanes == 0) {
        return INVALID_VALUE;
    }
    launch(reinterpret_cast<void (*)(const void*)>(function), parameters[0], {x, y, z}, lanes);
    return SUCCESS;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int lanes, size_t) {
    *blocks = lanes_at_once() / UNITS / lanes;
    return SUCCESS;
}

int cuLaunchCooperativeKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned lanes, unsigned, unsigned, unsigned,
                              void*, void** parameters) {
    if (x == 0 || y == 0 || z == 0 || lanes == 0 || x * y * z * lanes > lanes_at_once()) {
        return INVALID_VALUE;
    }
    launch_at_once(reinterpret_cast<void (*)(const void*)>(function), parameters[0], {x, y, z}, lanes);
    return SUCCESS;
}
}
