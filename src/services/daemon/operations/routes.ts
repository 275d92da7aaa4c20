import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { LogLineLevel, LogPage, WorkerReport } from "../../../contracts/daemon/operations.ts";
import { StorageReport } from "../../../contracts/daemon/storage-report.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import type { Clock } from "../../../kit/clock.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import type { LogRing } from "../../../kit/log-ring.ts";
import type { BackupPorts } from "./backup-routes.ts";
import { followLog, readLog } from "./log-lines.ts";
import { requireMachineOwner } from "./require-machine-owner.ts";
import { reportWorkers, type WorkerReportDeps } from "./worker-report.ts";

const tags = ["operations"];

const LogQueryParameters = Type.Object({
  level: Type.Optional({ ...LogLineLevel, description: "Lowest level. Default: every level." }),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Text that the line contains as JSON, in any case: an event, a service, an id.",
    }),
  ),
  limit: pageLimit({ default: 500, max: 5_000 }),
});

/** A reader then calls again, so that a session that ended has no stream. */
const streamMs = 60 * 60_000;

export interface OperationRoutesDeps {
  clock: Clock;
  operations: WorkerReportDeps & {
    ring: LogRing;
    storageReport(): Promise<StorageReport>;
    backups: BackupPorts;
  };
}

/** Routes through which the owner of the machine watches the process. */
export const operationRoutes = ({ clock, operations }: OperationRoutesDeps) =>
  new Elysia({ prefix: "/v1/system" })
    .use(jsonRoutes())
    .get(
      "/workers",
      async ({ call }) => {
        requireMachineOwner(call);
        return reportWorkers(operations);
      },
      {
        response: WorkerReport,
        detail: {
          tags,
          operationId: "listWorkers",
          summary: "Lists background workers and leases",
          description:
            "Only for the owner of this machine. The workers are those of this process. Leases in PostgreSQL are those of all processes on the database.",
        },
      },
    )
    .get(
      "/storage",
      async ({ call }) => {
        requireMachineOwner(call);
        return operations.storageReport();
      },
      {
        response: StorageReport,
        detail: {
          tags,
          operationId: "measureStorage",
          summary: "Measures the stored data",
          description:
            "Only for the owner of this machine. Sizes of databases, folders and the largest tables, free disk, and what retention deletes. It reads catalogs and file sizes, never the rows.",
        },
      },
    )
    .get(
      "/logs",
      async ({ query, call }) => {
        requireMachineOwner(call);
        return readLog(operations.ring, query);
      },
      {
        query: LogQueryParameters,
        response: LogPage,
        detail: {
          tags,
          operationId: "readLog",
          summary: "Returns the newest lines of the log",
          description:
            "Only for the owner of this machine. The process keeps its newest 5,000 lines in memory, 4 Mi characters at most, with secrets masked as in the log itself.",
        },
      },
    )
    .get(
      "/logs/events",
      async ({ query, request, call }) => {
        requireMachineOwner(call);
        const over = new AbortController();
        const cancelTimer = clock.timer(streamMs, () => over.abort());
        const ending = [over.signal, ...(call.retiring === undefined ? [] : [call.retiring])];
        return eventStream<LogPage>({
          source: async function* (gone) {
            try {
              yield* followLog(operations.ring, query, AbortSignal.any([gone, ...ending]));
            } finally {
              cancelTimer();
            }
          },
          encode: (page) => encodeSse({ data: JSON.stringify(page) }),
          encodeError: () => encodeSse({ event: "error", data: "{}" }),
          request,
          call,
          clock,
        });
      },
      {
        query: LogQueryParameters,
        detail: {
          tags,
          operationId: "followLog",
          summary: "Lines of the log as server-sent events",
          description:
            "Only for the owner of this machine. Each event is a `LogPage` as JSON: first the newest lines, then each group of new ones. The stream ends after an hour at most.",
          responses: {
            200: {
              description: "Success.",
              content: { "text/event-stream": { schema: { type: "string" } } },
            },
          },
        },
      },
    );
