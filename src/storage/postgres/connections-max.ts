/** Most connections to PostgreSQL of one service of one process. docs/mesh.md says how many a server needs. */
export const connectionsMax = 12;
