// Compiles kernels with Tint, Chromium's WGSL compiler, as Dawn has it. The message of a module is all of Tint's
// analysis, that of uniform control flow included; a pipeline would only have its SPIR-V compiled.
//
// node check.mjs <folder with node_modules> <kernels.json>
// kernels.json: [{ label, source }]
// Prints one line a kernel that is refused, then how many were accepted; exits with 1 where any was refused.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, list] = process.argv.slice(2);
const entry = createRequire(`${folder}/`).resolve('webgpu');
const { create, globals } = await import(pathToFileURL(entry));
Object.assign(globalThis, globals);

// Dawn ends with the last of these, so all of them stay.
const gpu = create([]);
const adapter = await gpu.requestAdapter();
if (!adapter) {
    console.error('no adapter: is Chromium here, with its SwiftShader?');
    process.exit(2);
}
const requiredFeatures = ['subgroups'].filter(name => adapter.features.has(name));
const device = await adapter.requestDevice({ requiredFeatures });

async function refusal(kernel) {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: kernel.source });
    const { messages } = await module.getCompilationInfo();
    await device.popErrorScope();
    const error = messages.find(message => message.type === 'error');
    return error ? `line ${error.lineNum}: ${error.message}` : null;
}

const kernels = JSON.parse(readFileSync(list, 'utf8'));
let accepted = 0;
for (const kernel of kernels) {
    const reason = await refusal(kernel);
    if (reason === null) {
        accepted += 1;
    } else {
        console.log(`${kernel.label}: ${reason}`);
    }
}
console.log(`accepted ${accepted} of ${kernels.length}`);
process.exit(accepted === kernels.length ? 0 : 1);
