// Runs the package in Chromium, with WebGPU and without, and the page as a person uses it; then the package in Firefox.
//
//     node browser.mjs PACKAGE DATA.json OUTPUT
//
// DATA.json has two sequences in base64 and the answers of the native command. OUTPUT is a folder for pictures and
// times. CHROMIUM is the browser, /usr/bin/chromium by default, and FIREFOX the other one, firefox-esr by default.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import path from 'node:path';
import { chromium } from 'playwright-core';

const [packageFolder, dataFile, output] = process.argv.slice(2);
const data = JSON.parse(await readFile(dataFile, 'utf8'));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

const FLAGS = {
    webgpu: ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--disable-gpu-watchdog'],
    cpu: ['--disable-features=WebGPU,WebGPUService', '--disable-blink-features=WebGPU'],
};

// A page that runs the cases by itself and reports.
const ALONE = `<!doctype html><link rel="icon" href="data:,"><script type="module">
    const data = await (await fetch('/data.json')).json();
    const device = location.search.slice(1);
    const failed = (error) => ({ failures: [String(error)], times: {} });
    const found = await import('/tests/cases.js').then(({ run }) => run({ device, data })).catch(failed);
    await fetch('/report', { method: 'POST', body: JSON.stringify(found) });
</script>`;
const PAGES = {
    '/': '<!doctype html><link rel="icon" href="data:,">',
    '/alone.html?cpu': ALONE,
    '/alone.html?webgpu': ALONE,
    '/data.json': JSON.stringify(data),
};

/** Requests that the server has seen. */
let requests = [];
/** Takes a report of the cases. */
let report = () => {};
const server = createServer(async (request, response) => {
    const { url, method } = request;
    requests.push(`${method} ${url}`);
    if (url === '/report') {
        report(JSON.parse((await request.toArray()).join('')));
    }
    const folder = url.startsWith('/tests/') ? import.meta.dirname : packageFolder;
    try {
        const body = PAGES[url] ?? (await readFile(path.join(folder, url.replace('/tests/', '/'))));
        const type = url in PAGES ? 'text/html' : TYPES[path.extname(url)];
        response.writeHead(200, { 'content-type': type ?? 'application/octet-stream', 'cache-control': 'no-store' });
        response.end(body);
    } catch {
        response.writeHead(404).end();
    }
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const origin = `http://127.0.0.1:${server.address().port}`;

const failures = [];
const times = {};

function check(name, found, expected) {
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
        failures.push(`${name}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
    }
}

/** A FASTA file of a sequence, in lines. */
function fasta(name, base64) {
    const lines = Buffer.from(base64, 'base64').toString().replace(/.{70}/g, '$&\n');
    return Buffer.from(`>${name}\n${lines}\n`);
}

/** Uses the page: files, a comparison, a download, typed texts and a cancelled call. */
async function usePage(browser, device) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 1100 }, acceptDownloads: true });
    const page = await context.newPage();
    // Software drivers compile a kernel in seconds.
    page.setDefaultTimeout(600_000);
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    // All requests of the page and its workers, to any host.
    const seen = [];
    context.on('request', (request) => seen.push(request.url()));
    await page.goto(`${origin}/page/index.html`);
    await page.waitForSelector('html[data-ready]');
    check(`${device}: hosts`, seen.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:')), []);
    [requests, seen.length] = [[], 0];

    const [first, second] = await page.locator('input[type=file]').all();
    await first.setInputFiles({ name: 'a.fasta', mimeType: 'text/plain', buffer: fasta('a', data.a) });
    await second.setInputFiles({ name: 'b.fasta.gz', mimeType: 'application/gzip', buffer: gzipSync(fasta('b', data.b)) });
    await page.waitForFunction(() => [...document.querySelectorAll('output')].every((output) => output.textContent));
    await page.selectOption('#device', device);
    const started = performance.now();
    await page.click('#compare');
    await page.waitForSelector('html[data-done], html[data-error]', { state: 'attached' });
    times[`${device}: page, ms`] = Math.round(performance.now() - started);
    check(`${device}: status`, await page.textContent('#status'), '');
    check(`${device}: distance of the page`, await page.getAttribute('html', 'data-done'), String(data.expected.distance));
    check(`${device}: device of the page`, /WebGPU/.test(await page.textContent('#numbers')), device === 'webgpu');
    await page.screenshot({ path: path.join(output, `page-${device}.png`), fullPage: true });
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    const places = Number((await page.textContent('#counts')).split(' ')[0].replaceAll(',', ''));
    check(`${device}: lines of the download`, lines.length, places + 1);

    const [a, b] = await page.locator('textarea').all();
    await a.fill('größe');
    await b.fill('grosse');
    await page.evaluate(() => delete document.documentElement.dataset.done);
    await page.click('#compare');
    await page.waitForSelector('html[data-done], html[data-error]', { state: 'attached' });
    check(`${device}: distance of texts`, await page.getAttribute('html', 'data-done'), '3');
    check(`${device}: requests after loading`, [requests, seen], [[], []]);
    check(`${device}: errors of the page`, errors, []);

    // A request to another host is refused, even by the page's own script.
    const refused = await page.evaluate(() => fetch('https://example.org/').then(() => 'sent', () => 'refused'));
    check(`${device}: a request to another host`, refused, 'refused');
    await context.close();
}

for (const [device, flags] of Object.entries(FLAGS)) {
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--headless=new', '--no-sandbox', ...flags],
    });
    try {
        const page = await browser.newPage();
        page.on('console', (message) => console.error(`${device}: ${message.text()}`));
        await page.goto(origin);
        check(`${device}: navigator.gpu`, await page.evaluate(async () => Boolean(await navigator.gpu?.requestAdapter())), device === 'webgpu');
        const found = await page.evaluate(async (argument) => (await import('/tests/cases.js')).run(argument), { device, data });
        failures.push(...found.failures);
        times[device] = found.times;
        await page.close();
        await usePage(browser, device);
    } catch (error) {
        failures.push(`${device}: ${error.stack}`);
    } finally {
        await browser.close();
    }
}

/** Runs the cases in Firefox, which reports by itself: playwright-core drives no Firefox but its own. */
async function inFirefox(device) {
    const profile = await mkdtemp(path.join(tmpdir(), 'swath-firefox-'));
    const preferences = { 'dom.webgpu.enabled': device === 'webgpu', 'gfx.webgpu.ignore-blocklist': true };
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});\n`);
    await writeFile(path.join(profile, 'user.js'), lines.join(''));
    const options = ['--headless', '--no-remote', '--profile', profile, `${origin}/alone.html?${device}`];
    const firefox = spawn(process.env.FIREFOX ?? 'firefox-esr', options, { stdio: 'ignore' });
    const found = await new Promise((resolve) => {
        report = resolve;
        const failed = (reason) => resolve({ failures: [String(reason)], times: {} });
        firefox.on('error', failed);
        setTimeout(failed, 600_000, 'no report within 10 minutes').unref();
    });
    failures.push(...found.failures.map((failure) => `Firefox, ${failure}`));
    times[`Firefox, ${device}`] = found.times;
    firefox.kill();
    await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

for (const device of Object.keys(FLAGS)) {
    await inFirefox(device);
}
server.close();
server.closeAllConnections();
await writeFile(path.join(output, 'times.json'), `${JSON.stringify(times, null, 4)}\n`);
console.log(JSON.stringify(times, null, 4));
failures.forEach((failure) => console.error(`failed: ${failure}`));
process.exit(failures.length === 0 ? 0 : 1);
