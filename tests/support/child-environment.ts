/**
 * Loaded before every test file: the collector's setting is for the processes that run the tests (`scripts/testing/run-test-files.ts`). The
 * programs that tests start collect as those of users do.
 */
delete process.env.BUN_GC_TIMER_DISABLE;
