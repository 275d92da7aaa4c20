/**
 * Loaded before every test file: the memory settings are for the processes that run the tests (`scripts/testing/run-test-files.ts`). The
 * programs that tests start use memory as those of users do.
 */
// Workspaces of tests are made by tests.
process.env.ARGOSY_TRUST ??= "true";
for (const name of ["BUN_GC_TIMER_DISABLE", "MIMALLOC_PURGE_DELAY", "MIMALLOC_PURGE_HOLES"])
  delete process.env[name];
