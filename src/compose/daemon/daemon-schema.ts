import { migrations } from "../../services/daemon/migrations.gen.ts";
import { tables } from "../../services/daemon/tables.ts";

/** Tables of the daemon, in its own storage and in the other places of conversations and episodes. */
export const daemonSchema = { service: "daemon", tables, migrations };
