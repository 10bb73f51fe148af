// Compiles kernels with Tint, Chromium's WGSL compiler, as Dawn has it: modules and their pipelines.
//
// node check.mjs <folder with node_modules> <kernels.json>
// kernels.json: [{ label, source, block }], block being the lanes of a workgroup
// Prints one line a kernel that is refused, then how many were accepted; exits with 1 where any was refused.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, list] = process.argv.slice(2);
const entry = createRequire(`${folder}/`).resolve('webgpu');
const { create, globals } = await import(pathToFileURL(entry));
Object.assign(globalThis, globals);

const adapter = await create([]).requestAdapter();
if (!adapter) {
    console.error('no adapter: is Chromium here, with its SwiftShader?');
    process.exit(2);
}
const largest = [
    'maxComputeInvocationsPerWorkgroup',
    'maxComputeWorkgroupSizeX',
    'maxComputeWorkgroupStorageSize',
    'maxStorageBuffersPerShaderStage',
    'maxImmediateSize',
];
const requiredLimits = Object.fromEntries(largest.map(name => [name, adapter.limits[name]]));
const requiredFeatures = ['subgroups'].filter(name => adapter.features.has(name));
const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });

async function refusal(kernel) {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: kernel.source });
    const { messages } = await module.getCompilationInfo();
    await device.popErrorScope();
    const error = messages.find(message => message.type === 'error');
    if (error) {
        return `line ${error.lineNum}: ${error.message}`;
    }
    // Larger workgroups than SwiftShader has say nothing of the text.
    if (kernel.block > requiredLimits.maxComputeInvocationsPerWorkgroup) {
        return null;
    }
    const compute = { module, entryPoint: 'main' };
    return device.createComputePipelineAsync({ layout: 'auto', compute }).then(() => null, error => `pipeline: ${error.message}`);
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
