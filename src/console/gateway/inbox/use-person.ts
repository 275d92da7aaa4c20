import { personAtDesk } from "../../../contracts/gateway/desk.ts";
import { useSession } from "../../session/session.tsx";

/** Returns the name under which this session works at the desk; undefined: none is known. */
export const usePerson = (): string | undefined => personAtDesk(useSession().signedIn);
