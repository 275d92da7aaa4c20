import { consoleKeyHeader } from "../../contracts/console/wire.ts";
import { callTexts } from "../texts/shell.ts";

/** No answer came: the server is stopped or out of reach. */
export class Unreachable extends Error {
  override readonly name: string = "Unreachable";
}

export interface ConsoleFetchParts {
  /** Returns the session's key; undefined without a session. */
  readKey: () => string | undefined;
  lost: () => void;
  /** Called when the session, or a credential of it, is refused: it expired, or was ended elsewhere. */
  refused: () => void;
  /** By default the browser's `fetch`. */
  send?: (request: Request) => Promise<Response>;
}

/** Returns a `fetch` that sends the session's key and throws `Unreachable` if no answer comes. */
export function createConsoleFetch({
  readKey,
  lost,
  refused,
  send = (request) => fetch(request),
}: ConsoleFetchParts) {
  return async (request: Request): Promise<Response> => {
    const key = readKey();
    if (key !== undefined) request.headers.set(consoleKeyHeader, key);
    let response: Response;
    try {
      response = await send(request);
    } catch (thrown) {
      if (request.signal.aborted) throw thrown;
      lost();
      throw new Unreachable(callTexts.noAnswer, { cause: thrown });
    }
    if (response.status === 401 || (response.status === 403 && (await isNotGranted(response.clone())))) {
      refused();
    }
    return response;
  };
}

/** Returns true if the session no longer has what the service needs, such as a person who was signed out elsewhere. */
async function isNotGranted(response: Response): Promise<boolean> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null && (body as { error?: unknown }).error === "not_granted";
  } catch {
    return false;
  }
}
