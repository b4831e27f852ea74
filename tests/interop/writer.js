// Writes events as BMAD+ does, under its lock; says on standard output what another writer did to it meanwhile.
// Arguments: project folder, number of events.
"use strict";
const fs = require("fs");
const os = require("os");
const { createHash, randomUUID } = require("crypto");
const folder = `${process.argv[2]}/.bmad/memory`;
const [lock, journal] = [`${folder}/writer.lock`, `${folder}/journal.ndjson`];
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const stored = () => (fs.existsSync(journal) ? fs.readFileSync(journal, "utf8") : "");

function acquire(owner) {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      fs.writeFileSync(lock, owner, { flag: "wx" });
      return;
    } catch (problem) {
      if (problem.code !== "EEXIST") throw problem;
      sleep(10);
    }
  }
  throw new Error("the lock stayed occupied");
}

fs.mkdirSync(folder, { recursive: true });
for (let number = 0; number < Number(process.argv[3]); number += 1) {
  const owner = JSON.stringify({ pid: process.pid, hostname: os.hostname(), token: randomUUID() });
  acquire(owner);
  const before = stored();
  const ts = new Date().toISOString();
  const [agent, task] = [`js${process.pid}`, `t${number}`];
  const id = createHash("sha256").update([ts, agent, task].join("\0")).digest("hex").slice(0, 12);
  const event = { ts, agent, cli: null, model: null, task, outcome: null, signals: {}, artifactHashes: [], id };
  sleep(4);
  if (stored() !== before) console.log("somebody wrote while the lock was held");
  fs.appendFileSync(journal, `${JSON.stringify(event)}\n`);
  if (fs.readFileSync(lock, "utf8") !== owner) console.log("the lock was taken away");
  fs.unlinkSync(lock);
  sleep(6);
}
