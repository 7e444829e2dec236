// Asks the Khronos validator about glTF files. Errors and warnings fail, infos are printed.
//   node verify/gltf.js FOLDER_WITH_NODE_MODULES FILE.glb ...
const fs = require('fs');
const path = require('path');

async function main() {
  const [folder, ...files] = process.argv.slice(2);
  const validator = require(path.resolve(folder, 'node_modules', 'gltf-validator'));
  let failed = 0;
  for (const file of files) {
    const bytes = new Uint8Array(fs.readFileSync(file));
    const report = await validator.validateBytes(bytes, { uri: path.basename(file), maxIssues: 20 });
    const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
    const { totalVertexCount, totalTriangleCount, animationCount } = report.info;
    const megabytes = (bytes.length / 1e6).toFixed(1);
    console.log(
      `${path.basename(file)}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos + numHints} infos; ` +
        `${totalVertexCount} vertices, ${totalTriangleCount} triangles, ${animationCount} animations, ${megabytes} MB`
    );
    for (const m of messages) {
      const severity = ['error', 'warning', 'info', 'hint'][m.severity];
      console.log(`  ${severity} ${m.code} at ${m.pointer ?? m.offset}: ${m.message}`);
    }
    failed += numErrors + numWarnings;
  }
  console.log(`${files.length} files, ${failed} errors and warnings`);
  process.exit(failed === 0 && files.length > 0 ? 0 : 1);
}

main();
