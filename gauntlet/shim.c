/* Make the N-th file system call below a directory fail, or kill the process there.
 *
 * FAULT_ROOT  the directory; a relative path is taken to lie below it
 * FAULT_KIND  which calls: "r" read by a descriptor, "n" open, list or look at by name, "w" write,
 *             "d" delete or lock, or several of these
 * FAULT_AT    which call, from 1; 0 counts only
 * FAULT_ERROR the error number it fails with; 0 kills the process with SIGKILL
 * FAULT_STAYS whether all later calls of the kind fail too, as on a full disk
 * FAULT_COUNT a file of eight bytes in which the calls are counted
 * FAULT_ALL   if set, the calls of all processes that it starts are counted too, together with its own
 *
 * A process that was forked to be another one calls fault_begin() once it has these in its environment.
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
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 4096
static const char *root, *kinds;
static long at, error, stays, *calls;
static pid_t owner;
static char watched[DESCRIPTORS];
enum { READ = 1, WRITTEN = 2 };

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) void fault_begin(void) {
    root = NULL;
    const char *count = getenv("FAULT_COUNT");
    if (!getenv("FAULT_ROOT") || !count || getenv("FAULT_OWNED")) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, count, O_RDWR);
    calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (calls == MAP_FAILED) abort();
    kinds = getenv("FAULT_KIND");
    at = atol(getenv("FAULT_AT"));
    error = atol(getenv("FAULT_ERROR"));
    stays = atol(getenv("FAULT_STAYS"));
    owner = getenv("FAULT_ALL") ? 0 : getpid();
    if (owner) setenv("FAULT_OWNED", "1", 1);
    root = getenv("FAULT_ROOT");
}

/* Whether this call fails: errno is set then. */
static int fails(char kind) {
    if (!root || (owner && getpid() != owner) || !strchr(kinds, kind)) return 0;
    long number = __atomic_add_fetch(calls, 1, __ATOMIC_SEQ_CST);
    if (!at || (stays ? number < at : number != at)) return 0;
    if (!error) kill(getpid(), SIGKILL);
    errno = (int)error;
    return 1;
}

/* How a descriptor of a file below the root was opened; 0 for any other. */
static int known(int descriptor) {
    return root && descriptor >= 0 && descriptor < DESCRIPTORS ? watched[descriptor] : 0;
}

static int below(int directory, const char *path) {
    if (!root || !path) return 0;
    if (path[0] == '/') return strncmp(path, root, strlen(root)) == 0;
    return directory == AT_FDCWD || known(directory);
}

static int opened(int descriptor, int how) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) watched[descriptor] = (char)how;
    return descriptor;
}

static char kind_of(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT)) ? 'w' : 'n'; }

#define OPEN(name, dirfd, parameters, arguments)                                        \
    int name parameters {                                                               \
        int mode = 0;                                                                   \
        va_list rest;                                                                   \
        va_start(rest, flags);                                                          \
        if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, int);                    \
        va_end(rest);                                                                   \
        int is_below = below(dirfd, path);                                              \
        if (is_below && fails(kind_of(flags))) return -1;                               \
        int how = !is_below ? 0 : kind_of(flags) == 'w' ? WRITTEN : READ;                \
        return opened(REAL(name) arguments, how);                                       \
    }
OPEN(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, directory, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))
OPEN(openat64, directory, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))

/* A file system behind a network may say only here that nothing was written; the descriptor is closed then. */
int close(int descriptor) {
    int fault = known(descriptor) == WRITTEN && fails('w') ? errno : 0;
    opened(descriptor, 0);
    int result = REAL(close)(descriptor);
    if (!fault) return result;
    errno = fault;
    return -1;
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
ON_DESCRIPTOR(int, fchmod, 'w', (int descriptor, mode_t mode), (descriptor, mode))
ON_DESCRIPTOR(int, fstat, 'r', (int descriptor, struct stat *into), (descriptor, into))
ON_DESCRIPTOR(int, fstat64, 'r', (int descriptor, struct stat64 *into), (descriptor, into))
ON_DESCRIPTOR(ssize_t, sendfile, 'w', (int descriptor, int from, off_t *where, size_t n), (descriptor, from, where, n))
ON_DESCRIPTOR(ssize_t, sendfile64, 'w', (int descriptor, int from, off64_t *where, size_t n), (descriptor, from, where, n))
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
ON_PATH(chmod, 'w', AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_PATH(fchmodat, 'w', in, path, (int in, const char *path, mode_t mode, int flags), (in, path, mode, flags))
ON_PATH(access, 'n', AT_FDCWD, path, (const char *path, int mode), (path, mode))
ON_PATH(stat, 'n', AT_FDCWD, path, (const char *path, struct stat *into), (path, into))
ON_PATH(stat64, 'n', AT_FDCWD, path, (const char *path, struct stat64 *into), (path, into))
ON_PATH(lstat, 'n', AT_FDCWD, path, (const char *path, struct stat *into), (path, into))
ON_PATH(lstat64, 'n', AT_FDCWD, path, (const char *path, struct stat64 *into), (path, into))
ON_PATH(fstatat, 'n', in, path, (int in, const char *path, struct stat *into, int flags), (in, path, into, flags))
ON_PATH(fstatat64, 'n', in, path, (int in, const char *path, struct stat64 *into, int flags), (in, path, into, flags))

ssize_t readlink(const char *path, char *into, size_t n) {
    if (below(AT_FDCWD, path) && fails('n')) return -1;
    return REAL(readlink)(path, into, n);
}

DIR *opendir(const char *path) {
    int is_below = below(AT_FDCWD, path);
    if (is_below && fails('n')) return NULL;
    DIR *directory = REAL(opendir)(path);
    if (directory) opened(dirfd(directory), is_below ? READ : 0);
    return directory;
}
int closedir(DIR *directory) {
    opened(dirfd(directory), 0);
    return REAL(closedir)(directory);
}
struct dirent *readdir(DIR *directory) {
    if (known(dirfd(directory)) && fails('r')) return NULL;
    return REAL(readdir)(directory);
}
struct dirent64 *readdir64(DIR *directory) {
    if (known(dirfd(directory)) && fails('r')) return NULL;
    return REAL(readdir64)(directory);
}
