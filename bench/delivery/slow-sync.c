#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

/* Loaded with LD_PRELOAD: every sync takes 5 ms longer. */
static void wait_5_ms(void) {
  struct timespec pause = {0, 5000000};
  nanosleep(&pause, 0);
}

int fsync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_5_ms();
  return real(file);
}

int fdatasync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_5_ms();
  return real(file);
}
