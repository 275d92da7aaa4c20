import { Elysia } from "elysia";
import { BackupJob, BackupList, BackupStart } from "../../../contracts/daemon/backups.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { requireMachineOwner } from "./require-machine-owner.ts";

export interface BackupPorts {
  list(): Promise<BackupList>;
  /** Starts a backup. Throws AppError `backup_running` (conflict) if one runs, and `invalid_backup_place`. */
  start(start: BackupStart): BackupJob;
}

const tags = ["operations"];

/** Routes to the backups of the data folder. */
export const backupRoutes = ({ operations: { backups } }: { operations: { backups: BackupPorts } }) =>
  new Elysia({ prefix: "/v1/system" })
    .use(jsonRoutes())
    .get(
      "/backups",
      async ({ call }) => {
        requireMachineOwner(call);
        return backups.list();
      },
      {
        response: BackupList,
        detail: {
          tags,
          operationId: "listBackups",
          summary: "Lists the backups that the data folder remembers",
          description:
            "Only for the owner of this machine. `argosy backup` and this API add to the list; a backup written to standard output isn't in it.",
        },
      },
    )
    .post(
      "/backups",
      async ({ body, call, set }) => {
        requireMachineOwner(call);
        set.status = 202;
        return backups.start(body);
      },
      {
        ...jsonBody(BackupStart),
        response: { 202: BackupJob },
        detail: {
          tags,
          operationId: "startBackup",
          summary: "Makes a backup",
          description:
            "Only for the owner of this machine. A process of its own copies, checks and compresses; the list has its progress. 409 `backup_running` while another is made.",
        },
      },
    );
