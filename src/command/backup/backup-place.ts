import { createReadStream } from "node:fs";
import { link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import type { Config } from "../../compose/settings/config.ts";
import { AppError } from "../../kit/app-error.ts";

/** Place that backups are written to and read from. */
export interface BackupPlace {
  /** Name of the place for messages. */
  name: string;
  /** Returns true if the place can be named again later. */
  isLasting: boolean;
  /** Bytes that were written and kept; undefined if the place doesn't tell. */
  archiveBytes(): Promise<number | undefined>;
  /** Opens it for writing. `keep` makes what was written the backup, in one step; `drop` removes it. */
  write(): Promise<{ output: Writable; keep(): Promise<void>; drop(): Promise<void> }>;
  read(): Promise<Readable>;
}

/** Standard input or output of the command. */
export interface StandardStreams {
  stdin: Readable;
  stdout: Writable;
}

/** Returns the place of an argument: a file, `s3://bucket/key`, or `-` for standard input or output. */
export async function backupPlace(
  argument: string,
  folder: string,
  config: Pick<Config, "variable">,
  streams: StandardStreams,
): Promise<BackupPlace> {
  if (argument === "-") return standardPlace(streams);
  if (argument.startsWith("s3://")) return s3Place(argument, config);
  return filePlace(resolve(folder, argument));
}

function standardPlace({ stdin, stdout }: StandardStreams): BackupPlace {
  return {
    name: "standard output",
    isLasting: false,
    archiveBytes: async () => undefined,
    async write() {
      // The process still prints to it, so it is not ended.
      const output = new Writable({
        write: (chunk, _encoding, done) =>
          void stdout.write(chunk, (cause) => done(cause ? unusable("standard output", cause) : null)),
      });
      return { output, async keep() {}, async drop() {} };
    },
    read: async () => naming("standard input", stdin),
  };
}

/** Passes a place's bytes on. An error of the place gets its name. */
function naming(place: string, input: Readable): Readable {
  async function* chunks() {
    try {
      yield* input;
    } catch (cause) {
      throw unusable(place, cause);
    }
  }
  // The generator can't close what it has not begun to read.
  return Readable.from(chunks(), { objectMode: false }).once("close", () => input.destroy());
}

function filePlace(path: string): BackupPlace {
  return {
    name: path,
    isLasting: true,
    archiveBytes: async () => (await stat(path)).size,
    async write() {
      if ((await lstat(path).catch(() => undefined)) !== undefined) throw exists(path, "file");
      // A name of its own: another backup to the same place may be in its draft.
      const draft = `${path}.${process.pid}-${crypto.randomUUID().slice(0, 8)}.part`;
      return {
        output: await fileOutput(path, draft),
        keep: () => moveToNew(draft, path),
        drop: () => rm(draft, { force: true }),
      };
    },
    async read() {
      const input = createReadStream(path);
      await new Promise<void>((opened, failed) => {
        input.once("open", () => opened());
        input.once("error", (cause) => failed(unusable(path, cause)));
      });
      return naming(path, input);
    },
  };
}

/** Opens the draft of the file `path`. Its errors name the place. */
async function fileOutput(path: string, draft: string): Promise<Writable> {
  const named = async (work: () => Promise<unknown>, done: (thrown?: Error | null) => void) => {
    try {
      await work();
    } catch (cause) {
      return done(unusable(path, cause));
    }
    done();
  };
  // The backup has the keys that open every sealed secret.
  const file = await open(draft, "wx", 0o600).catch((cause) => {
    throw unusable(path, cause);
  });
  return new Writable({
    highWaterMark: chunkBytes,
    write: (chunk: Uint8Array, _encoding, done) => void named(() => file.writeFile(chunk), done),
    final: (done) => void named(() => file.sync(), done),
    destroy: (thrown, done) =>
      void named(
        () => file.close(),
        (failed) => done(thrown ?? failed ?? null),
      ),
  });
}

/** Gives the whole draft its name. Throws `backup_exists` if the name exists by now: nothing is ever overwritten. */
async function moveToNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
    await rm(draft, { force: true });
  } catch (cause) {
    const { code = "" } = cause as { code?: string };
    if (code === "EEXIST") throw exists(path, "file");
    if (!withoutHardLinks.test(code)) throw unusable(path, cause);
    await moveWithoutLinks(draft, path);
  }
}

/** For file systems without hard links: an empty file takes the name, which only one process can create, and the draft replaces it. */
export async function moveWithoutLinks(draft: string, path: string): Promise<void> {
  try {
    const reserved = await open(path, "wx", 0o600);
    await reserved.close();
  } catch (cause) {
    if ((cause as { code?: string }).code === "EEXIST") throw exists(path, "file");
    throw unusable(path, cause);
  }
  try {
    await rename(draft, path);
  } catch (cause) {
    await rm(path, { force: true });
    throw unusable(path, cause);
  }
}

const withoutHardLinks = /^(EPERM|EACCES|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK|EXDEV|EINVAL|UNKNOWN)$/;
const chunkBytes = 256 * 1024;

const exists = (place: string, kind: "file" | "object"): AppError =>
  new AppError("conflict", "backup_exists", `${place} already exists.`, {
    details: { hint: `Name another ${kind}, or remove this one.` },
  });

function s3Place(address: string, config: Pick<Config, "variable">): BackupPlace {
  // An empty variable, as a service's unit or a compose file may have it, is not set.
  const variable = (name: string): string | undefined => config.variable(name)?.trim() || undefined;
  const [, bucket = "", key = ""] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address) ?? [];
  if (key === "" || key.endsWith("/")) {
    throw new AppError("invalid", "invalid_backup_place", `${address} names no object.`, {
      details: { hint: "Write s3://bucket/key, for example s3://backups/argosy.tar.zst." },
    });
  }
  const accessKeyId = variable("AWS_ACCESS_KEY_ID");
  const secretAccessKey = variable("AWS_SECRET_ACCESS_KEY");
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new AppError("invalid", "s3_credentials_missing", `There are no credentials for ${address}.`, {
      details: { hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY." },
    });
  }
  const endpoint = variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL");
  const sessionToken = variable("AWS_SESSION_TOKEN");
  const client = new Bun.S3Client({
    bucket,
    accessKeyId,
    secretAccessKey,
    region: variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? "us-east-1",
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
  const named = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      throw unusable(address, cause);
    }
  };
  return {
    name: address,
    isLasting: true,
    archiveBytes: async () => undefined,
    async write() {
      const object = client.file(key);
      const requireNew = async () => {
        if (await named(() => object.exists())) throw exists(address, "object");
      };
      await requireNew();
      const writer = object.writer({ partSize: partBytes, queueSize: 2, retry: 3 });
      // The object appears when the upload is completed.
      const output = new Writable({
        write(chunk: Uint8Array, _encoding, done) {
          named(async () => {
            writer.write(chunk);
            await writer.flush();
          }).then(() => done(), done);
        },
        final(done) {
          // The upload may have taken hours, and another writer may have been faster.
          requireNew()
            .then(() => named(async () => writer.end()))
            .then(() => done(), done);
        },
      });
      return {
        output,
        async keep() {},
        // Without its end, the upload makes no object. An object of this name is another writer's.
        async drop() {},
      };
    },
    read: async () => {
      const object = client.file(key);
      await named(() => object.stat());
      return naming(address, Readable.fromWeb(object.stream() as never));
    },
  };
}

const partBytes = 8 * 1024 * 1024;

const reasons: Record<string, string> = {
  ENOENT: "there is no such file or folder",
  EACCES: "this user may not open it",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is a file",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "the disk quota of this user is used up",
  EFBIG: "a file there can't be that large",
  EIO: "its disk reports an error",
  EPIPE: "its reader has ended",
  NoSuchKey: "there is no such object",
  NoSuchBucket: "there is no such bucket",
  AccessDenied: "these credentials may not use it",
};

function unusable(place: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const { code, message } = cause as { code?: string; message?: string };
  const reason = reasons[code ?? ""] ?? message ?? "it can't be used";
  return new AppError("unavailable", "backup_place_unusable", `${place} can't be used: ${reason}.`, {
    cause,
  });
}
