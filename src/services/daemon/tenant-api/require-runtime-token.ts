import { createBearerCheck } from "../../../http/front-door/front-door.ts";
import { AppError } from "../../../kit/app-error.ts";

/** Admits requests to the runtime's routes that carry `token`, compared in constant time; admits all requests if there is no token. */
export function requireRuntimeToken(token: string | undefined): (context: { request: Request }) => void {
  if (token === undefined) return () => {};
  const carries = createBearerCheck(token);
  return ({ request }) => {
    if (carries(request.headers.get("authorization"))) return;
    throw new AppError("unauthorized", "unauthorized", "This request needs the runtime's token.");
  };
}
