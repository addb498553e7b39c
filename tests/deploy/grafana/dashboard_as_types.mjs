// Writes a TypeScript file that has each part of a dashboard as a literal of its type in
// @grafana/schema, so that the compiler finds unknown members, missing ones and wrong values.
//
//   node dashboard_as_types.mjs DASHBOARD.json >OUT.ts
import {readFileSync} from 'node:fs';

const {panels, ...board} = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const raw = '@grafana/schema/dist/esm/raw';
const lines = [
  `import type {DataQuery} from '@grafana/schema';`,
  `import type {Dashboard} from '${raw}/dashboard/x/dashboard_types.gen';`,
];
const literal = (name, type, value) =>
  lines.push(`export const ${name}: ${type} = ${JSON.stringify(value, null, 2)};`);

// The types of options and of a panel's own settings are each in a file of their own.
for (const type of new Set(panels.map(panel => panel.type))) {
  const Type = {stat: 'Stat', timeseries: 'TimeSeries'}[type];
  if (!Type) throw new Error(`dashboard_as_types.mjs does not know panels of type ${type}`);
  const file = `${raw}/composable/${type}/panelcfg/x/${Type}PanelCfg_types.gen`;
  lines.push(
    `import type * as ${type} from '${file}';`,
    `type ${type}Custom = ${type === 'stat' ? 'Record<string, never>' : `Plain<${type}.FieldConfig>`};`,
  );
}
// A text or a number of an enumeration counts as one of its values.
lines.push(
  'type Plain<T> = T extends string ? `${T}`',
  '  : T extends number ? (number extends T ? T : `${T}` extends `${infer N extends number}` ? N : never)',
  '  : T extends (infer E)[] ? Plain<E>[]',
  '  : T extends object ? {[K in keyof T]: Plain<T[K]>} : T;',
  "type Panel = Exclude<NonNullable<Dashboard['panels']>[number], {type: 'row'}>;",
  // The schema of this version has no type for the queries of Prometheus.
  'type Query = DataQuery & {expr: string; legendFormat?: string};',
);
literal('board', "Plain<Omit<Dashboard, 'panels'>>", board);
panels.forEach((panel, k) => {
  const {options, targets, fieldConfig, ...rest} = panel;
  const {custom = {}, ...defaults} = fieldConfig.defaults;
  literal(`panel${k}`, "Plain<Omit<Panel, 'options' | 'targets' | 'fieldConfig'>>", rest);
  literal(`options${k}`, `Partial<Plain<${panel.type}.Options>>`, options);
  literal(`custom${k}`, `Partial<${panel.type}Custom>`, custom);
  literal(`field${k}`, "Plain<NonNullable<Panel['fieldConfig']>>", {...fieldConfig, defaults});
  literal(`targets${k}`, 'Query[]', targets);
});
console.log(lines.join('\n'));
