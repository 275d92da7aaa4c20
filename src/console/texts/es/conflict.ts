import type * as english from "../conflict.ts";

export const conflictTexts: typeof english.conflictTexts = {
  title: "Otra persona hizo cambios",
  lead: "Alguien guardó otra versión después de que empezaste a editar. No se sobrescribió nada, y tu texto sigue aquí.",
  takenTitle: "Este nombre ya está en uso",
  takenLead:
    "Ya hay algo guardado con este nombre. No se sobrescribió nada, y tu texto sigue aquí. Para conservar ambos, sigue editando y cambia el nombre.",
  legend: "Las líneas agregadas son tuyas, las quitadas son de la otra versión.",
  same: "Ambas versiones tienen el mismo contenido.",
  diff: "La otra versión comparada con la tuya",
  keepMine: "Guardar la mía sobre la otra",
  takeTheirs: "Descartar la mía y usar la otra",
  goOn: "Seguir editando",
  copyMine: "Copiar la mía",
  again: "Cambió una vez más. La comparación de abajo muestra la versión más reciente.",
  gone: "Alguien lo eliminó mientras editabas. Tu texto sigue aquí: cópialo, o sigue editando.",
  goneSave: "Alguien lo eliminó mientras editabas. Si guardas, se crea de nuevo.",
  recreate: "Crearlo de nuevo",
};
