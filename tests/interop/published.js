// The published formulas of `mem` (recall, reinforce, ids, hashes) in the language of BMAD+, from their description.
// Reads {now, notes: [[file, text]], journal, queries, rewards: [[r, ts]]} from the first argument, prints JSON.
"use strict";
const { createHash } = require("crypto");
const given = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
const hash = (text) => createHash("sha256").update(text, "utf8").digest("hex");
const DAY = 86400000;

const words = (text) =>
  text
    .toLowerCase()
    .split(/[^a-z0-9àâäéèêëïîôöùûüç_-]+/)
    .filter((word) => word.length >= 2);

function score(query, text) {
  const found = words(text);
  const counts = new Map();
  for (const word of found) counts.set(word, (counts.get(word) || 0) + 1);
  let hits = 0;
  let matched = 0;
  for (const word of query) {
    const count = counts.get(word) || 0;
    if (count > 0) {
      hits += 1 + Math.log(count);
      matched += 1;
    }
  }
  return hits ? (hits * (matched / query.length)) / Math.sqrt(found.length) : 0;
}

function sections(text) {
  const found = [];
  for (const line of text.split("\n")) {
    const heading = /^###[ \t]+(.*)$/.exec(line);
    if (heading) found.push({ heading: heading[1].trim(), body: [] });
    else if (found.length) found[found.length - 1].body.push(line);
  }
  return found.map(({ heading, body }) => ({ heading, text: `${heading}\n${body.join("\n")}` }));
}

function recall(text) {
  const query = [...new Set(words(text))];
  const hits = [];
  for (const line of given.journal.split("\n")) {
    let event;
    try {
      event = JSON.parse(line);
    } catch {
      continue;
    }
    const parts = [event.agent, event.cli, event.model, event.task, event.outcome, JSON.stringify(event.signals || {})];
    let value = score(query, parts.filter(Boolean).join(" "));
    const time = Date.parse(event.ts);
    if (value && given.now > time) value *= Math.pow(0.5, (given.now - time) / DAY / 30);
    hits.push({ score: value, ref: event.id });
  }
  for (const [, note] of given.notes)
    for (const { heading, text: whole } of sections(note)) hits.push({ score: score(query, whole), ref: heading });
  return hits.filter((hit) => hit.score > 0).sort((a, b) => b.score - a.score);
}

function reinforce() {
  let record = { elo: 1200, alpha: 1, beta: 1, mean: 0.5, updates: 0, lastTs: null };
  return given.rewards.map(([reward, ts]) => {
    let { alpha, beta } = record;
    if (record.lastTs !== null && Date.parse(ts) > Date.parse(record.lastTs)) {
      const faded = Math.pow(0.5, (Date.parse(ts) - Date.parse(record.lastTs)) / DAY / 90);
      alpha = 1 + (alpha - 1) * faded;
      beta = 1 + (beta - 1) * faded;
    }
    alpha = 1 + (alpha - 1) * 0.98 + reward;
    beta = 1 + (beta - 1) * 0.98 + (1 - reward);
    const elo = record.elo + 32 * (reward - 1 / (1 + Math.pow(10, (1200 - record.elo) / 400)));
    record = { elo, alpha, beta, mean: alpha / (alpha + beta), updates: record.updates + 1, lastTs: ts };
    return record;
  });
}

const receipts = given.receipts.map((line) => {
  const { id, ...rest } = JSON.parse(line);
  return { same: JSON.stringify({ id, ...rest }) === line, id: hash(JSON.stringify(rest)) === id };
});
const events = given.journal
  .split("\n")
  .filter(Boolean)
  .map((line) => {
    const event = JSON.parse(line);
    return {
      same: JSON.stringify(event) === line,
      id: hash([event.ts, event.agent, event.task].join("\0")).slice(0, 12) === event.id,
    };
  });
const scores = given.scores === null || JSON.stringify(JSON.parse(given.scores), null, 2) + "\n" === given.scores;
process.stdout.write(
  JSON.stringify({ recalls: given.queries.map(recall), reinforced: reinforce(), receipts, events, scores }),
);
