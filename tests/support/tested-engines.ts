/** Environment variable of a test run: `embedded` leaves out the engines that are servers; without it, suites run on every engine. */
export const enginesVariable = "ARGOSY_TEST_ENGINES";

/** False if this run leaves out the engines that are servers: PostgreSQL, Redis, Qdrant, Chroma. */
export const testsServers = process.env[enginesVariable] !== "embedded";
