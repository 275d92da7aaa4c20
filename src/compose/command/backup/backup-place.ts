import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { AppError } from "../../../kit/app-error.ts";
import type { Config } from "../../settings/config.ts";

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
        write: (chunk, _encoding, done) => void stdout.write(chunk, done),
      });
      return { output, async keep() {}, async drop() {} };
    },
    read: async () => stdin,
  };
}

function filePlace(path: string): BackupPlace {
  const draft = `${path}.part`;
  return {
    name: path,
    isLasting: true,
    archiveBytes: async () => (await stat(path)).size,
    async write() {
      if ((await stat(path).catch(() => undefined)) !== undefined) {
        throw new AppError("conflict", "backup_exists", `${path} already exists.`, {
          details: { hint: "Name another file, or remove this one." },
        });
      }
      await rm(draft, { force: true });
      // The backup has the keys that open every sealed secret.
      const output = createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true });
      await new Promise<void>((opened, failed) => {
        output.once("open", () => opened());
        output.once("error", (cause) => failed(unusable(path, cause)));
      });
      return {
        output,
        keep: () => rename(draft, path),
        drop: () => rm(draft, { force: true }),
      };
    },
    async read() {
      const input = createReadStream(path);
      await new Promise<void>((opened, failed) => {
        input.once("open", () => opened());
        input.once("error", (cause) => failed(unusable(path, cause)));
      });
      return input;
    },
  };
}

function s3Place(address: string, { variable }: Pick<Config, "variable">): BackupPlace {
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
  const naming = async <T>(work: () => Promise<T>): Promise<T> => {
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
      if (await naming(() => object.exists())) {
        throw new AppError("conflict", "backup_exists", `${address} already exists.`, {
          details: { hint: "Name another object, or remove this one." },
        });
      }
      const writer = object.writer({ partSize: partBytes, queueSize: 2, retry: 3 });
      // The object appears when the upload is completed.
      const output = new Writable({
        write(chunk: Uint8Array, _encoding, done) {
          naming(async () => {
            writer.write(chunk);
            await writer.flush();
          }).then(() => done(), done);
        },
        final(done) {
          naming(async () => writer.end()).then(() => done(), done);
        },
      });
      return {
        output,
        async keep() {},
        async drop() {
          await client
            .file(key)
            .delete()
            .catch(() => undefined);
        },
      };
    },
    read: async () => {
      const object = client.file(key);
      await naming(() => object.stat());
      return Readable.fromWeb(object.stream() as never);
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
  NoSuchKey: "there is no such object",
  NoSuchBucket: "there is no such bucket",
  AccessDenied: "these credentials may not use it",
};

function unusable(place: string, cause: unknown): AppError {
  const { code, message } = cause as { code?: string; message?: string };
  const reason = reasons[code ?? ""] ?? message ?? "it can't be used";
  return new AppError("unavailable", "backup_place_unusable", `${place} can't be used: ${reason}.`, {
    cause,
  });
}
