import { setDefaultTimeout } from "bun:test";
import fc from "fast-check";

/**
 * Loaded before every test file: properties try the same cases in every run, so that a failure means a change and not chance.
 * `ARGOSY_TEST_SEED=random` tries new ones (the failure prints its seed), a number repeats them.
 */
const wanted = process.env.ARGOSY_TEST_SEED ?? "20260301";
if (wanted !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });

/** A test that takes longer hangs. It is not a measure of speed: on a busy machine a second becomes half a minute. */
setDefaultTimeout(240_000);
