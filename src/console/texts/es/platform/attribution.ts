import type * as english from "../../platform/attribution.ts";

export const attributionTexts: typeof english.attributionTexts = {
  title: "Por clave, miembro y modelo",
  costs: "Costos",
  costsLead: "Uso y costos de proveedores de un mes (UTC), por clave de API, miembro o modelo.",
  split: "Dividir por",
  splits: { key: "Clave de API", member: "Miembro", model: "Modelo" },
  notes: {
    key: "Las ejecuciones de personas con sesión iniciada no tienen clave.",
    member: "Incluye las ejecuciones de las claves de API que creó el miembro.",
    model: "Una ejecución cuenta en cada modelo que usó.",
  },
  names: { key: "Clave de API", member: "Miembro", model: "Modelo" },
  tenant: "Cliente",
  runs: "Ejecuciones",
  tokens: "Tokens",
  credits: "Créditos",
  cost: "Costo del proveedor",
  others: "Otros",
  total: "Total",
  none: "No hay ejecuciones terminadas en este mes.",
  incomplete:
    "Todavía se agregan ejecuciones anteriores a la actualización. Los números crecen hasta que termine.",
  csv: "Descargar CSV",
};

export const revenueTexts: typeof english.revenueTexts = {
  title: "Ingresos",
  lead: "Cargos de todos los clientes por mes (UTC), y quiénes llegaron y se fueron. El mes actual cuenta hasta hoy.",
  months: "Meses",
  range: (count) => `${count} meses`,
  chart: "Ingresos por mes",
  churnChart: "Clientes nuevos y perdidos por mes",
  revenue: "Ingresos",
  lost: "Ingresos perdidos",
  month: "Mes",
  provisional: "hasta ahora",
  tenants: "Clientes que pagan",
  newTenants: "Nuevos",
  lostTenants: "Perdidos",
  churn: "Tasa de abandono",
  subscriptions: "Suscripciones",
  subscriptionChange: (started, ended) => `+${started} / −${ended}`,
  table: "Por mes",
};
