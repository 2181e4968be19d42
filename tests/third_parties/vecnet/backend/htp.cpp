// Sends each operator through a queue to the skel of the device's DSP.
#include "vecnet_htp.h"

#include <AEEStdErr.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dspqueue.h>
#include <remote.h>
#include <rpcmem.h>

#include "vecnet_iface.h"
#include "vecnet_msg.h"

namespace vecnet {
namespace {

const std::uint32_t WAIT_US = 60000000;

void check(int error, const char *what) {
    if (error) {
        std::fprintf(stderr, "vecnet-htp: %s: 0x%08x\n", what, static_cast<unsigned>(error));
        std::exit(1);
    }
}

class Shared {
  public:
    explicit Shared(std::size_t bytes)
        : bytes(bytes), words(static_cast<std::int32_t *>(
                            rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, static_cast<int>(bytes)))),
          fd(rpcmem_to_fd(words)) {
        check(fastrpc_mmap(CDSP_DOMAIN_ID, fd, words, 0, bytes, FASTRPC_MAP_FD), "fastrpc_mmap");
    }
    ~Shared() {
        fastrpc_munmap(CDSP_DOMAIN_ID, fd, words, bytes);
        rpcmem_free(words);
    }
    Shared(const Shared &) = delete;

    const std::size_t bytes;
    std::int32_t *const words;
    const int fd;
};

class Htp : public Backend {
  public:
    Htp() {
        remote_rpc_control_unsigned_module without_signature = {CDSP_DOMAIN_ID, 1};
        remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &without_signature,
                               sizeof without_signature);
        remote_dsp_capability asked = {CDSP_DOMAIN_ID, ARCH_VER, 0};
        check(remote_handle_control(DSPRPC_GET_DSP_INFO, &asked, sizeof asked), "capability");
        std::snprintf(uri, sizeof uri,
                      "file:///libvecnet-htp-v%x.so?vecnet_iface_skel_handle_invoke&_modver=1.0&_dom=cdsp",
                      asked.capability & 0xff);
        check(vecnet_iface_open(uri, &handle), uri);
        check(dspqueue_create(CDSP_DOMAIN_ID, 0, 4096, 4096, nullptr, nullptr, nullptr, &queue),
              "dspqueue_create");
        uint64 id = 0;
        uint64_t exported = 0;
        check(dspqueue_export(queue, &exported), "dspqueue_export");
        id = exported;
        check(vecnet_iface_start(handle, id), "start");
    }
    ~Htp() override {
        vecnet_iface_stop(handle);
        dspqueue_close(queue);
        vecnet_iface_close(handle);
    }
    std::string name() const override { return "htp"; }

    Values compute(unsigned op, const Values &a, const Values &b) override {
        Shared buffers[] = {Shared(a.size() * 4), Shared(a.size() * 4), Shared(a.size() * 4)};
        std::memcpy(buffers[0].words, a.data(), buffers[0].bytes);
        std::memcpy(buffers[1].words, b.data(), buffers[1].bytes);
        dspqueue_buffer references[3] = {};
        for (int i = 0; i < 3; i++) {
            references[i].fd = static_cast<uint32_t>(buffers[i].fd);
            references[i].size = static_cast<uint32_t>(buffers[i].bytes);
            references[i].flags =
                DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER | DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT;
        }
        vecnet_request request = {op, static_cast<uint32_t>(a.size())};
        vecnet_response response = {};
        uint32_t flags = 0, count = 0, length = 0;
        check(dspqueue_write(queue, 0, 3, references, sizeof request,
                             reinterpret_cast<uint8_t *>(&request), WAIT_US),
              "dspqueue_write");
        check(dspqueue_read(queue, &flags, 3, &count, references, sizeof response, &length,
                            reinterpret_cast<uint8_t *>(&response), WAIT_US),
              "dspqueue_read");
        check(response.status, operators()[op].c_str());
        return Values(buffers[2].words, buffers[2].words + a.size());
    }

  private:
    char uri[128] = "";
    remote_handle64 handle = 0;
    dspqueue_t queue = nullptr;
};

} // namespace

std::unique_ptr<Backend> htp() { return std::make_unique<Htp>(); }

} // namespace vecnet
