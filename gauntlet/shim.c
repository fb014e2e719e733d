/* Make the N-th file system call below a directory fail, or kill the process there.
 *
 * FAULT_ROOT  the directory; a relative path is taken to lie below it
 * FAULT_KIND  which calls: "r" read, "w" write, "d" delete or lock, or several of these
 * FAULT_AT    which call, from 1; 0 counts only
 * FAULT_ERROR the error number it fails with; 0 kills the process with SIGKILL
 * FAULT_STAYS whether all later calls of the kind fail too, as on a full disk
 * FAULT_COUNT a file that gets the number of calls when the process ends
 *
 * Only the process that the shim was loaded into first is counted, not what it starts.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 4096
static const char *root, *kinds;
static long at, error, stays, calls;
static pid_t owner;
static char watched[DESCRIPTORS];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    root = getenv("FAULT_ROOT");
    if (!root || getenv("FAULT_OWNED")) { root = NULL; return; }
    setenv("FAULT_OWNED", "1", 1);
    kinds = getenv("FAULT_KIND");
    at = atol(getenv("FAULT_AT"));
    error = atol(getenv("FAULT_ERROR"));
    stays = atol(getenv("FAULT_STAYS"));
    owner = getpid();
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULT_COUNT");
    if (!root || !path || getpid() != owner) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char text[32];
    int length = snprintf(text, sizeof text, "%ld", calls);
    if (syscall(SYS_write, file, text, length) < 0) return;
}

/* Whether this call fails: errno is set then. */
static int fails(char kind) {
    if (!root || getpid() != owner || !strchr(kinds, kind)) return 0;
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (!at || (stays ? number < at : number != at)) return 0;
    if (!error) kill(getpid(), SIGKILL);
    errno = (int)error;
    return 1;
}

static int known(int descriptor) {
    return root && descriptor >= 0 && descriptor < DESCRIPTORS && watched[descriptor];
}

static int below(int directory, const char *path) {
    if (!root || !path) return 0;
    if (path[0] == '/') return strncmp(path, root, strlen(root)) == 0;
    return directory == AT_FDCWD || known(directory);
}

static int opened(int descriptor, int is_below) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) watched[descriptor] = (char)is_below;
    return descriptor;
}

static char kind_of(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT)) ? 'w' : 'r'; }

#define OPEN(name, dirfd, parameters, arguments)                                        \
    int name parameters {                                                               \
        int mode = 0;                                                                   \
        va_list rest;                                                                   \
        va_start(rest, flags);                                                          \
        if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, int);                    \
        va_end(rest);                                                                   \
        int is_below = below(dirfd, path);                                              \
        if (is_below && fails(kind_of(flags))) return -1;                               \
        return opened(REAL(name) arguments, is_below);                                  \
    }
OPEN(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, directory, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))
OPEN(openat64, directory, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) watched[descriptor] = 0;
    return REAL(close)(descriptor);
}

int dup(int descriptor) { return opened(REAL(dup)(descriptor), known(descriptor)); }

#define ON_DESCRIPTOR(type, name, kind, parameters, arguments)                          \
    type name parameters {                                                              \
        if (known(descriptor) && fails(kind)) return -1;                                \
        return REAL(name) arguments;                                                    \
    }
ON_DESCRIPTOR(ssize_t, read, 'r', (int descriptor, void *data, size_t n), (descriptor, data, n))
ON_DESCRIPTOR(ssize_t, pread, 'r', (int descriptor, void *data, size_t n, off_t where), (descriptor, data, n, where))
ON_DESCRIPTOR(ssize_t, pread64, 'r', (int descriptor, void *data, size_t n, off64_t where), (descriptor, data, n, where))
ON_DESCRIPTOR(ssize_t, write, 'w', (int descriptor, const void *data, size_t n), (descriptor, data, n))
ON_DESCRIPTOR(ssize_t, pwrite, 'w', (int descriptor, const void *data, size_t n, off_t where), (descriptor, data, n, where))
ON_DESCRIPTOR(ssize_t, pwrite64, 'w', (int descriptor, const void *data, size_t n, off64_t where), (descriptor, data, n, where))
ON_DESCRIPTOR(ssize_t, writev, 'w', (int descriptor, const struct iovec *data, int n), (descriptor, data, n))
ON_DESCRIPTOR(int, fsync, 'w', (int descriptor), (descriptor))
ON_DESCRIPTOR(int, fdatasync, 'w', (int descriptor), (descriptor))
ON_DESCRIPTOR(int, ftruncate, 'w', (int descriptor, off_t size), (descriptor, size))
ON_DESCRIPTOR(int, ftruncate64, 'w', (int descriptor, off64_t size), (descriptor, size))
ON_DESCRIPTOR(int, flock, 'd', (int descriptor, int operation), (descriptor, operation))

int posix_fallocate(int descriptor, off_t from, off_t size) {
    if (known(descriptor) && fails('w')) return errno;
    return REAL(posix_fallocate)(descriptor, from, size);
}
int posix_fallocate64(int descriptor, off64_t from, off64_t size) {
    if (known(descriptor) && fails('w')) return errno;
    return REAL(posix_fallocate64)(descriptor, from, size);
}

#define ON_PATH(name, kind, directory, path, parameters, arguments)                     \
    int name parameters {                                                               \
        if (below(directory, path) && fails(kind)) return -1;                           \
        return REAL(name) arguments;                                                    \
    }
ON_PATH(rename, 'w', AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(renameat, 'w', out, to, (int in, const char *from, int out, const char *to), (in, from, out, to))
ON_PATH(unlink, 'd', AT_FDCWD, path, (const char *path), (path))
ON_PATH(unlinkat, 'd', in, path, (int in, const char *path, int flags), (in, path, flags))
ON_PATH(mkdir, 'w', AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_PATH(mkdirat, 'w', in, path, (int in, const char *path, mode_t mode), (in, path, mode))
ON_PATH(rmdir, 'd', AT_FDCWD, path, (const char *path), (path))
ON_PATH(link, 'w', AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(stat, 'r', AT_FDCWD, path, (const char *path, struct stat *into), (path, into))
ON_PATH(stat64, 'r', AT_FDCWD, path, (const char *path, struct stat64 *into), (path, into))
ON_PATH(lstat, 'r', AT_FDCWD, path, (const char *path, struct stat *into), (path, into))
ON_PATH(lstat64, 'r', AT_FDCWD, path, (const char *path, struct stat64 *into), (path, into))
ON_PATH(fstatat, 'r', in, path, (int in, const char *path, struct stat *into, int flags), (in, path, into, flags))
ON_PATH(fstatat64, 'r', in, path, (int in, const char *path, struct stat64 *into, int flags), (in, path, into, flags))

DIR *opendir(const char *path) {
    if (below(AT_FDCWD, path) && fails('r')) return NULL;
    return REAL(opendir)(path);
}
