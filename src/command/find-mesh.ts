import { AppError } from "../kit/app-error.ts";
import { systemClock } from "../kit/clock.ts";
import { readJoinCode } from "../mesh/join-code.ts";
import { findMesh, usualMeetingPoint } from "../mesh/lan-discovery.ts";

/** Looks in the local network for the mesh of a join code. Returns the variables with which a node joins it. */
export async function findMeshSettings(
  code: string,
  { wait, interface: address }: { wait: number; interface?: string },
): Promise<Record<string, string>> {
  if (readJoinCode(code) === undefined) {
    throw new AppError("invalid", "invalid_code", `${JSON.stringify(code)} is not a join code.`, {
      details: {
        hint: "`argosy mesh invite` on a node of the mesh prints one, such as K7QM-2XRT-9DFA-HW3E.",
      },
    });
  }
  const point = { ...usualMeetingPoint, interface: address };
  const mesh = await findMesh(point, code, { clock: systemClock, waitMs: wait * 1_000 });
  if (mesh === undefined) {
    throw new AppError(
      "not_found",
      "mesh_not_found",
      `No node answered to this code within ${wait} seconds.`,
      {
        details: {
          hint: "Codes are valid for 10 minutes, in one local network. Without multicast, set PLATFORM_MESH_SEEDS and PLATFORM_MESH_SECRET by hand.",
        },
      },
    );
  }
  return {
    PLATFORM_MESH_ENABLED: "true",
    PLATFORM_MESH_SEEDS: mesh.address,
    PLATFORM_MESH_SECRET: mesh.secret,
    ...(mesh.port !== "" && { PLATFORM_MESH_PORT: mesh.port }),
  };
}
