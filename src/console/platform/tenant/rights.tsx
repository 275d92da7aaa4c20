import { Text } from "@mantine/core";
import { createContext, type ReactNode, useContext } from "react";
import type { MemberRole } from "../../../contracts/platform/members.ts";
import { hasRight, neededRoles, type TenantRight } from "../../../contracts/platform/tenant-rights.ts";
import { tenantMemberTexts } from "../../texts/platform/tenant-members.ts";
import { rightTexts as texts } from "../../texts/platform/tenant-rights.ts";

/** The person's role in the tenant of the page. */
export const OwnRole = createContext<MemberRole>("viewer");

/** Rights that a page asks for and explains. */
export type ShownRight = keyof typeof texts.purposes;

interface Needs {
  right: TenantRight;
}

/** Returns a function that tells whether the person has a right in the tenant of the page. */
export function useRights(): (right: TenantRight) => boolean {
  const role = useContext(OwnRole);
  return (right) => hasRight(role, right);
}

/** Shows its content only to people with the right. */
export const Permitted = ({ right, children }: Needs & { children: ReactNode }) =>
  useRights()(right) ? children : null;

/** Returns why the person may not, or undefined if they may. */
export function useReason(right: ShownRight): string | undefined {
  const role = useContext(OwnRole);
  const { roles } = tenantMemberTexts;
  if (hasRight(role, right)) return undefined;
  return texts.reason({
    purpose: texts.purposes[right],
    needed: roles[neededRoles[right]],
    own: roles[role],
  });
}

/** Tells people without the right why the page offers no changes. */
export function RightNote({ right }: { right: ShownRight }) {
  const reason = useReason(right);
  if (reason === undefined) return null;
  return (
    <Text role="note" className="ar-soft" mb="md">
      {reason}
    </Text>
  );
}
