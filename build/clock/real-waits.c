/*
 * Loaded before libfaketime: these waits go straight to the kernel. During them libfaketime shows the real time to
 * signal handlers, and PostgreSQL's handler then finds that none of its timeouts has come.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms) {
  return syscall(SYS_epoll_pwait, epoll, events, count, timeout_ms, NULL, 0);
}

int poll(struct pollfd *files, nfds_t count, int timeout_ms) {
  struct timespec timeout = {timeout_ms / 1000, (timeout_ms % 1000) * 1000000L};
  return syscall(SYS_ppoll, files, count, timeout_ms < 0 ? NULL : &timeout, NULL, 0);
}

int select(int count, fd_set *readable, fd_set *writable, fd_set *failed, struct timeval *timeout) {
  struct timespec wait = {0, 0};
  if (timeout) wait = (struct timespec){timeout->tv_sec, timeout->tv_usec * 1000};
  int ready = syscall(SYS_pselect6, count, readable, writable, failed, timeout ? &wait : NULL, NULL);
  /* As Linux does: the rest of the time. */
  if (timeout) *timeout = (struct timeval){wait.tv_sec, wait.tv_nsec / 1000};
  return ready;
}

int nanosleep(const struct timespec *wait, struct timespec *rest) { return syscall(SYS_nanosleep, wait, rest); }
