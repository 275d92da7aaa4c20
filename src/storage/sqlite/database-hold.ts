import { Database } from "bun:sqlite";

/** A database whose state at the instant stays readable until the release. */
export interface HeldDatabase {
  /** Path below the data folder, with `/`. */
  path: string;
  /** Length of the part of the write-ahead log that belongs to the instant, in bytes; 0 if the file alone has everything. */
  walBytes: number;
}

/** A database file whose state at one instant stays readable until the release. */
export interface DatabaseHold {
  /** Takes the instant. Returns the length of the part of the write-ahead log that belongs to it, in bytes; 0 if the file has everything. */
  take(): number;
  release(): void;
}

/**
 * Opens a database for a hold. A read transaction keeps SQLite from overwriting the pages of its instant and from reusing the log's frames
 * up to there (https://sqlite.org/wal.html, "Checkpointing"). A second connection asks for the length of the log, which no transaction may.
 */
export function openDatabaseHold(file: string): DatabaseHold {
  const keeper = new Database(file, { readonly: true });
  const asker = new Database(file, { readonly: true });
  return {
    take() {
      keeper.run("BEGIN");
      // A transaction takes its snapshot with its first read.
      keeper.query("SELECT count(*) FROM sqlite_schema").get();
      const { log, checkpointed } = asker
        .query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)")
        .get() ?? { log: -1, checkpointed: -1 };
      // If all frames are in the file, SQLite reads the file alone, and a writer may begin the log anew.
      if (log <= checkpointed) return 0;
      const { page_size: pageBytes } = keeper.query<{ page_size: number }, []>("PRAGMA page_size").get() ?? {
        page_size: 0,
      };
      return walHeaderBytes + log * (frameHeaderBytes + pageBytes);
    },
    release() {
      keeper.close();
      asker.close();
    },
  };
}

// https://sqlite.org/fileformat2.html#the_write_ahead_log
const walHeaderBytes = 32;
const frameHeaderBytes = 24;
