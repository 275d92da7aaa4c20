import { createBearerCheck } from "../../../http/bearer-token.ts";
import { AppError } from "../../../kit/app-error.ts";

/** For routes of the runtime: lets in whoever carries `token`, compared in constant time; everybody when there is none. */
export function requireRuntimeToken(token: string | undefined): (context: { request: Request }) => void {
  if (token === undefined) return () => {};
  const carries = createBearerCheck(token);
  return ({ request }) => {
    if (carries(request.headers.get("authorization"))) return;
    throw new AppError("unauthorized", "unauthorized", "This request needs the runtime's token.");
  };
}
