import { Database } from "bun:sqlite";

/** Message to the worker: move a file's write-ahead log into it, or let go of the file. */
export interface CheckpointOrder {
  file: string;
  wish: "move" | "release";
}

/** Message from the worker. */
export interface CheckpointAnswer {
  file: string;
  /** Why the order failed. */
  fault?: string;
}

declare const self: Worker;

const connections = new Map<string, Database>();

self.onmessage = ({ data: { file, wish } }: MessageEvent<CheckpointOrder>) => {
  try {
    if (wish === "move") moveLog(file);
    else release(file);
    self.postMessage({ file } satisfies CheckpointAnswer);
  } catch (thrown) {
    self.postMessage({ file, fault: String(thrown) } satisfies CheckpointAnswer);
  }
};

/** Moves what is committed now. Neither waits for readers and writers nor keeps them waiting. */
function moveLog(file: string): void {
  const connection = connections.get(file) ?? new Database(file, { readwrite: true });
  connections.set(file, connection);
  connection.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}

function release(file: string): void {
  connections.get(file)?.close();
  connections.delete(file);
}
