/** The prefix under which a console session reaches the services of its process: `/console/api/<service>/<path>`. */
export const consoleApiPrefix = "/console/api";

/**
 * Carries the session's key, without which its cookie opens nothing: a cookie goes to every port of a host, and what a
 * page keeps stays with its origin.
 */
export const consoleKeyHeader = "x-argosy-console";
