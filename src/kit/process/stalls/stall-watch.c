/*
 * The thread beside the main thread. Bun compiles this text when a server starts (`cc` of bun:ffi). A thread of Bun's own would cost a
 * second JavaScript heap, and could not learn of a signal: Bun hands signals to the main thread, also those that arrive while it is stalled.
 *
 * Once a second it looks whether the main thread has beaten. After `patience` seconds of silence it writes a line to the log, and again
 * each time the silence has doubled. If SIGTERM or SIGINT came, it ends the process when `grace` seconds later the main thread is still
 * silent, and at the second signal at once. The handlers count a signal and call those of Bun.
 */
typedef unsigned long size_t;
typedef struct { long seconds, nanoseconds; } Time;

extern int pthread_create(size_t *thread, const void *attributes, void *(*run)(void *), void *argument);
extern int pthread_detach(size_t thread);
extern int sigaction(int number, const void *wanted, void *before);
extern int nanosleep(const Time *wanted, Time *left);
extern int clock_gettime(int clock, Time *now);
extern void *gmtime_r(const long *seconds, void *parts);
extern size_t strftime(char *text, size_t size, const char *format, const void *parts);
extern int snprintf(char *text, size_t size, const char *format, ...);
extern int sscanf(const char *text, const char *format, ...);
extern char *strrchr(const char *text, int character);
extern int open(const char *path, int flags, ...);
extern long read(int file, void *bytes, size_t count);
extern long write(int file, const void *bytes, size_t count);
extern int close(int file);
extern void _exit(int status);

/* Shared with stall-watch.ts: 8 numbers and the text of the last request. */
typedef struct {
  volatile int beats, ended, patience, grace, status, json, pid, unused;
  char request[256];
} Shared;

typedef struct { void (*handler)(int, void *, void *); char rest[248]; } Action;

static Shared *shared;
static Action before[2];
static volatile int signals;

static void note(int number, void *info, void *context) {
  signals++;
  before[number == 15].handler(number, info, context);
}

/* Puts `note` before the handler of Bun, which may come and go. One of 0 or 1 is none: the default, or to ignore the signal. */
static void listen_to(int number) {
  Action action;
  if (sigaction(number, 0, &action) != 0 || (size_t)action.handler < 2 || action.handler == note) return;
  before[number == 15] = action;
  action.handler = note;
  sigaction(number, &action, 0);
}

/* Hundredths of a second of work that the main thread has done: a stall without work waits for the system. 0 if that can't be read. */
static long worked(void) {
  char path[64], text[512], *end;
  long count, user, system;
  int file;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", shared->pid);
  if ((file = open(path, 0)) < 0) return 0;
  count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  /* The name in brackets may contain anything. */
  if (!(end = strrchr(text, ')'))) return 0;
  if (sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system) != 2) return 0;
  return user + system;
}

/* Copies method and path. Parts with capitals, digits beyond `v1`, or over 24 letters may be ids or secrets: they become `*`. */
static void readable(char *to, size_t size, const char *from) {
  size_t at = 0, start, length, i;
  int hidden;
  while (*from && *from != ' ' && at < 8) to[at++] = *from++;
  to[at++] = ' ';
  if (*from == ' ') from++;
  while (*from && *from != '?' && *from != '#' && at + 26 < size) {
    if (*from == '/') { to[at++] = *from++; continue; }
    for (length = 0, hidden = 0; from[length] && from[length] != '/' && from[length] != '?' && from[length] != '#'; length++) {
      char c = from[length];
      if (!(c >= 'a' && c <= 'z') && c != '-' && c != '_' && c != '.' && !(length == 1 && c >= '0' && c <= '9')) hidden = 1;
    }
    if (hidden || length > 24) to[at++] = '*';
    else for (i = 0; i < length; i++) to[at++] = from[i];
    from += length;
  }
  to[at] = 0;
}

static void say(const char *event, int seconds, long hundredths) {
  char request[256], time[32], line[768], parts[128];
  Time now;
  int length;
  clock_gettime(0, &now);
  strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.seconds, parts));
  readable(request, sizeof request, shared->request);
  length = snprintf(line, sizeof line,
    shared->json
      ? "{\"level\":\"error\",\"time\":\"%s.%03ldZ\",\"event\":\"%s\",\"seconds\":%d,\"cpu_ms\":%ld,\"last_request\":\"%s\"}\n"
      : "%s.%03ldZ error   %s seconds=%d cpu_ms=%ld last_request=\"%s\"\n",
    time, now.nanoseconds / 1000000, event, seconds, hundredths * 10, request);
  if (write(2, line, length) < 0) return;
}

static void *watch(void *unused) {
  int seen = shared->beats, silent = 0, next = shared->patience, asked = 0;
  long begun = 0;
  Time second;
  while (!shared->ended) {
    second.seconds = 1;
    second.nanoseconds = 0;
    nanosleep(&second, 0);
    listen_to(2);
    listen_to(15);
    if (shared->beats != seen) {
      seen = shared->beats;
      silent = 0;
      next = shared->patience;
    } else if (++silent == 1) begun = worked();
    if (signals > 0) asked++;
    if (silent >= next) {
      say("process.stalled", silent, worked() - begun);
      next *= 2;
    }
    if (silent >= 2 && (signals > 1 || (asked >= shared->grace && silent >= shared->patience))) {
      say("process.ended_while_stalled", silent, worked() - begun);
      _exit(shared->status);
    }
  }
  return unused;
}

int start(void *memory) {
  size_t thread;
  shared = memory;
  listen_to(2);
  listen_to(15);
  if (pthread_create(&thread, 0, watch, 0) != 0) return -1;
  return pthread_detach(thread);
}
