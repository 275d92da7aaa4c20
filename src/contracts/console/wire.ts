/** Prefix under which a console session reaches the services of its process: `/console/api/<service>/<path>`. */
export const consoleApiPrefix = "/console/api";

/**
 * Header for the session's key. The cookie is useless without it, because a cookie is sent to every port of a host, but a page's storage
 * belongs to its origin.
 */
export const consoleKeyHeader = "x-argosy-console";
