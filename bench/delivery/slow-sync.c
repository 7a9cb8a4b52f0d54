#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

/* A disk on which every sync takes 5 ms longer. Loaded with LD_PRELOAD. */
static void wait_a_little(void) {
  struct timespec pause = {0, 5000000};
  nanosleep(&pause, 0);
}

int fsync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_a_little();
  return real(file);
}

int fdatasync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_a_little();
  return real(file);
}
