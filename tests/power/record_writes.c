/* Records what a process writes below one folder, in order: loaded before the C library, it appends to the file $RECORD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int record_fd = -1;
static char folder[PATH_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *record = getenv("RECORD"), *below = getenv("RECORD_BELOW");
    if (record && below) {
        int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
        record_fd = real_open(record, O_WRONLY | O_CREAT | O_APPEND, 0600);
        snprintf(folder, sizeof folder, "%s/", below);
    }
}

static int name_of(int fd, char *name) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, PATH_MAX - 1);
    if (length <= 0) return 0;
    name[length] = 0;
    return strncmp(name, folder, strlen(folder)) == 0;
}

static void put(char kind, const char *path, int64_t offset, const void *data, uint32_t size) {
    if (record_fd < 0) return;
    ssize_t (*real_write)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    const char *name = path + strlen(folder);
    uint16_t name_size = (uint16_t)strlen(name);
    char *line = malloc(15 + name_size + size);
    line[0] = kind;
    memcpy(line + 1, &name_size, 2);
    memcpy(line + 3, &offset, 8);
    memcpy(line + 11, &size, 4);
    memcpy(line + 15, name, name_size);
    if (size) memcpy(line + 15 + name_size, data, size);
    pthread_mutex_lock(&lock);
    if (real_write(record_fd, line, 15 + name_size + size) < 0) abort();
    pthread_mutex_unlock(&lock);
    free(line);
}

#define RECORDED(kind, fd, offset, data, size) \
    do { char name[PATH_MAX]; if (record_fd >= 0 && name_of(fd, name)) put(kind, name, offset, data, size); } while (0)

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    ssize_t written = real(fd, data, size, offset);
    if (written > 0) RECORDED('W', fd, offset, data, (uint32_t)written);
    return written;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return pwrite64(fd, data, size, offset); }

ssize_t write(int fd, const void *data, size_t size) {
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    off64_t offset = lseek64(fd, 0, SEEK_CUR);
    ssize_t written = real(fd, data, size);
    if (written > 0 && fd != record_fd) RECORDED('W', fd, offset < 0 ? 0 : offset, data, (uint32_t)written);
    return written;
}

int ftruncate64(int fd, off64_t length) {
    int (*real)(int, off64_t) = dlsym(RTLD_NEXT, "ftruncate64");
    int result = real(fd, length);
    if (result == 0) RECORDED('T', fd, length, NULL, 0);
    return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int fsync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    int result = real(fd);
    if (result == 0) RECORDED('S', fd, 0, NULL, 0);
    return result;
}

int fdatasync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    int result = real(fd);
    if (result == 0) RECORDED('S', fd, 0, NULL, 0);
    return result;
}

int unlink(const char *path) {
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    int result = real(path);
    if (result == 0 && record_fd >= 0 && strncmp(path, folder, strlen(folder)) == 0) put('U', path, 0, NULL, 0);
    return result;
}
