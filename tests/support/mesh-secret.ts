/** Secret of the nodes of a test. */
export const meshSecret = "mesh-secret-of-at-least-32-bytes-!";
