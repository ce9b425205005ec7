// Firefox, by WebDriver BiDi, and pages of it that note what goes wrong on them.

import { existsSync } from 'node:fs';
import puppeteer from 'puppeteer-core';
import { PATIENCE } from './browser.mjs';

const executable = () => {
  const path = process.env.FIREFOX || '/usr/bin/firefox-esr';
  if (!existsSync(path)) throw new Error(`There is no Firefox at ${path}; set FIREFOX to one.`);
  return path;
};

/** Starts Firefox; it ends by `close`. */
export function firefox() {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: executable(),
    headless: true,
    defaultViewport: { width: 1280, height: 900 },
    timeout: PATIENCE,
    extraPrefsFirefox: {
      // It asks nobody for updates, lists or pages to warn of.
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
      'services.settings.server': 'data:,',
      'browser.safebrowsing.downloads.remote.enabled': false,
    },
  });
}

/** Opens a page; `page.faults` lists errors on its console, uncaught exceptions, and requests that failed. */
export async function open(started, url) {
  const page = await started.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error') page.faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => page.faults.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => page.faults.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) page.faults.push(`${response.status()}: ${response.url()}`);
  });
  await page.goto(url);
  return page;
}
