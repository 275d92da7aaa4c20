import { consoleKeyHeader } from "../../contracts/console/wire.ts";

/** No answer came: the server is stopped or out of reach. */
export class Unreachable extends Error {
  override readonly name: string = "Unreachable";
}

export interface ConsoleFetchParts {
  /** Returns the session's key; undefined without a session. */
  readKey: () => string | undefined;
  lost: () => void;
  /** Called when the session is gone: it expired, or was ended elsewhere. */
  sessionEnded: () => void;
}

/** Returns a `fetch` that sends the session's key and throws `Unreachable` if no answer comes. */
export function createConsoleFetch({ readKey, lost, sessionEnded }: ConsoleFetchParts) {
  return async (request: Request): Promise<Response> => {
    const key = readKey();
    if (key !== undefined) request.headers.set(consoleKeyHeader, key);
    let response: Response;
    try {
      response = await fetch(request);
    } catch (thrown) {
      if (request.signal.aborted) throw thrown;
      lost();
      throw new Unreachable("The server did not answer. Try again.", { cause: thrown });
    }
    if (response.status === 401 && (await isSessionMissing(response.clone()))) sessionEnded();
    return response;
  };
}

async function isSessionMissing(response: Response): Promise<boolean> {
  try {
    const body: unknown = await response.json();
    return (
      typeof body === "object" && body !== null && (body as { error?: unknown }).error === "session_needed"
    );
  } catch {
    return false;
  }
}
