// NVRTC's functions: sources are compiled by the machine's C++ compiler, and the path of a shared
// library stands in for the PTX.
//
// Libraries are cached in FOLDER by their source.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <string>

namespace {

enum Result { SUCCESS, COMPILATION_FAILED = 6 };

// Reported compute capabilities; the code is the same for all.
constexpr int ARCHITECTURES[] = {75, 90};

struct Program {
    std::string text, log, path;
};

std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// Translates a source to C++: the kernel's parameter by reference, as a launch passes it, and PTX
// instructions as functions.
std::string translated(std::string text) {
    text = std::regex_replace(text, std::regex("const __grid_constant__ (\\w+) "), "const $1& ");
    const std::regex instruction(
        "asm(?: volatile)?\\(\"([a-z0-9.]+) [^\"]*\" : (?:\"=\\w\"\\((\\w+)\\) )?: ((?:\"\\w\"\\(\\w+\\)(?:, )?)*)(?: : \"memory\")?\\);");
    const std::regex operand("\"\\w\"\\((\\w+)\\)");
    for (std::smatch found; std::regex_search(text, found, instruction);) {
        const std::string name = std::regex_replace(found.str(1), std::regex("\\."), "_");
        const std::string call =
            (found.str(2).empty() ? "" : found.str(2) + " = ") + "ptx_" + name + "(" + std::regex_replace(found.str(3), operand, "$1") + ");";
        text = found.prefix().str() + call + found.suffix().str();
    }
    return "#include \"" SOURCES "/language.h\"\n#line 1 \"kernel.cu\"\n" + text;
}

bool exists(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0;
}

int copy(const std::string& text, char* to) {
    memcpy(to, text.c_str(), text.size() + 1);
    return SUCCESS;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
    const char* told = getenv("CUDA_EMULATOR_NVRTC");
    *major = told ? atoi(told) : 12;
    *minor = 0;
    return SUCCESS;
}

const char* nvrtcGetErrorString(int result) {
    return result == SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION";
}

int nvrtcGetNumSupportedArchs(int* count) {
    *count = sizeof ARCHITECTURES / sizeof *ARCHITECTURES;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int* architectures) {
    memcpy(architectures, ARCHITECTURES, sizeof ARCHITECTURES);
    return SUCCESS;
}

int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*, const char* const*) {
    *program = new Program{translated(text), "", ""};
    return SUCCESS;
}

int nvrtcDestroyProgram(Program** program) {
    delete *program;
    *program = nullptr;
    return SUCCESS;
}

int nvrtcCompileProgram(Program* program, int, const char* const*) {
    static const std::string headers = read(SOURCES "/language.h") + read(SOURCES "/lanes.h");
    std::ostringstream name;
    name << FOLDER "/" << std::hex << std::hash<std::string>()(headers + program->text);
    program->path = name.str() + ".so";
    if (exists(program->path)) {
        return SUCCESS;
    }
    // Another process may compile the same source.
    name << '.' << getpid() << '.' << static_cast<void*>(program);
    const std::string source = name.str() + ".cpp", made = name.str() + ".so", log = name.str() + ".log";
    std::ofstream(source) << program->text;
    const std::string command = "c++ -std=c++17 -O1 -w -fPIC -shared -ffp-contract=off -fno-strict-aliasing -fno-gnu-unique "
                                "-Wl,-Bsymbolic '" + source + "' -o '" + made + "' -L'" FOLDER "' -llanes -Wl,-rpath,'" FOLDER "' "
                                "2> '" + log + "'";
    const bool compiled = system(command.c_str()) == 0;
    program->log = read(log);
    unlink(source.c_str());
    unlink(log.c_str());
    return compiled && rename(made.c_str(), program->path.c_str()) == 0 ? SUCCESS : COMPILATION_FAILED;
}

int nvrtcGetProgramLogSize(Program* program, size_t* size) {
    *size = program->log.size() + 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(Program* program, char* log) {
    return copy(program->log, log);
}

int nvrtcGetPTXSize(Program* program, size_t* size) {
    *size = program->path.size() + 1;
    return SUCCESS;
}

int nvrtcGetPTX(Program* program, char* code) {
    return copy(program->path, code);
}

int nvrtcGetCUBINSize(Program* program, size_t* size) {
    return nvrtcGetPTXSize(program, size);
}

int nvrtcGetCUBIN(Program* program, char* code) {
    return nvrtcGetPTX(program, code);
}
}
