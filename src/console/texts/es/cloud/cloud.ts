import type * as english from "../../cloud/cloud.ts";
import { isolated } from "../../isolated.ts";

export const cloudTexts: typeof english.cloudTexts = {
  title: "Nube",
  build: "Crear",
  manage: "Organización",
  agents: "Agentes",
  evals: "Evaluaciones",
  usage: "Uso",
  keys: "Claves de API",
  providers: "Claves de proveedores",
  members: "Miembros",
  audit: "Auditoría",
  signIn: "Entrar a la nube",
  ownAccount: "Tu cuenta en la nube",
  another: "Cambiar de cuenta de la nube",
};

export const roleTexts: typeof english.roleTexts = {
  owner: "Propietario",
  admin: "Administrador",
  member: "Miembro",
};

export const orgTexts: typeof english.orgTexts = {
  title: "Nube",
  lead: "Crea agentes en cinco pasos, despliégalos con las claves de proveedores de tu organización y llámalos por HTTP.",
  signedInAs: (email) => `Sesión de ${isolated(email)}. Inicia sesión de nuevo para usar otra cuenta.`,
  notSignedIn: "No se pudo iniciar sesión",
  switcher: (name) => `Organización: ${isolated(name)}`,
  switchTo: "Cambiar a",
  choose: "Elige una organización",
  missingTitle: "Organización no encontrada",
  missing: "La organización no existe, o no eres miembro de ella.",
  toOwn: "Ir a tu organización",
  invited: (org, role) => `Te invitan a ${isolated(org)} con el rol ${roleTexts[role]}.`,
  decline: "Rechazar",
  declined: (org) => `Rechazaste la invitación a ${isolated(org)}.`,
  noOrgTitle: "Sin organización",
  noOrg: "No estás en ninguna organización. Crea una, o acepta una invitación.",
  create: "Nueva organización",
  createTitle: "Crear una organización",
  createAction: "Crear organización",
  displayName: "Nombre visible",
  displayNameHint: "Eres su propietario. Su dirección se deriva de este nombre y no cambia.",
  created: (org) => `Se creó ${isolated(org)}.`,
  accept: "Aceptar invitación",
  accepted: (org) => `Te uniste a ${isolated(org)}.`,
};

export const agentStatusTexts: typeof english.agentStatusTexts = {
  draft: "Borrador",
  deployed: "Desplegado",
  paused: "En pausa",
};
