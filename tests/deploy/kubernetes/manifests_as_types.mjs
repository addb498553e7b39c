// Writes a TypeScript program that has each document of Kubernetes YAML files as a literal of the type
// which its apiVersion and kind name. The compiler then finds unknown fields and wrong types, and the
// program, when run, holds the values to the schema of the API.
//
//   node manifests_as_types.mjs OUT.mts FILE.yaml…
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename} from 'node:path';
const {parseAllDocuments} = createRequire(process.argv[2])('yaml');

const lines = [];
let count = 0;
for (const file of process.argv.slice(3)) {
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'), {uniqueKeys: true, version: '1.1'})) {
        const problem = document.errors[0] ?? document.warnings[0];
        if (problem) {
            console.error(`${file}: ${problem.message}`);
            process.exit(1);
        }
        const {apiVersion, kind, ...rest} = document.toJS() ?? {};
        if (!/^[a-z0-9./]+$/.test(apiVersion) || !/^[A-Za-z]+$/.test(kind)) {
            console.error(`${file}: a document without apiVersion and kind`);
            process.exit(1);
        }
        const name = `${kind}${count++}`;
        lines.push(`// ${basename(file)}`,
            `import {${kind} as ${name}} from 'kubernetes-models/${apiVersion}/${kind}';`,
            `new ${name}(${JSON.stringify(rest, null, 2)}).validate();`);
    }
}
if (count === 0) {
    console.error('no documents');
    process.exit(1);
}
writeFileSync(process.argv[2], `${lines.join('\n')}\nconsole.log('${count} documents');\n`);
