// What makes the runs that are shown: a config of grids, which the workflow takes.
const bare = text => /^[\w.+-]+$/.test(text) && !/^(true|false|yes|no|on|off|null|~)$/i.test(text) ? text : JSON.stringify(text);
const typed = text => /^(true|false)$/.test(text) ? text : bare(text);
const halves = (text, sign) => text.includes(sign) ? [text.slice(0, text.indexOf(sign)), text.slice(text.indexOf(sign) + 1)] : [text, ""];

// A run's name taken apart: what its grid says but the algorithm and the seed, the algorithm, its parameters, the seed.
function parted(key) {
  const [data, loss, ...rest] = key.split("__"), strength = loss === "none" ? [] : [["C", `[${rest.shift().slice(2)}]`]];
  const [algorithm, given] = halves(rest.shift(), ":"), fields = rest.map(field => halves(field, "=").map(decodeURIComponent));
  const whole = Object.entries(DATA.paths ?? {}).reduce((text, [short, path]) => text.replaceAll(short, path), decodeURIComponent(data));
  const said = { data: `[${bare(whole)}]`, loss: `[${bare(loss)}]`, ...Object.fromEntries(strength) };
  if (loss !== "none") said.penalty = "[l2]"; // a grid without one takes each algorithm's own first
  for (const [name, value] of fields) {
    if (name === "penalty") said.penalty = `[${bare(value)}]`;
    else if (name !== "seed") said[name] = bare(DATA.paths?.[value] ?? value);
  }
  const params = given.split(",").filter(Boolean).map(each => halves(decodeURIComponent(each), "="));
  return { said, algorithm, params: params.map(([name, value]) => `${name}: [${typed(value)}]`).join(", "), seed: Number(Object.fromEntries(fields).seed ?? 0) };
}

// The grids whose runs are these and no others: a grid has all combinations, so two settings of an algorithm have two.
function config(some) {
  const variants = new Map(), grids = new Map();
  for (const { key } of some) {
    const { seed, ...run } = parted(key), name = JSON.stringify(run);
    if (!variants.has(name)) variants.set(name, { ...run, seeds: [] });
    variants.get(name).seeds.push(seed);
  }
  for (const { said, algorithm, params, seeds } of variants.values()) {
    const own = { ...said, seeds: `[${[...new Set(seeds)].sort((a, b) => a - b).join(", ")}]` };
    if (seeds.length > 1) own.repeat = true; // what draws nothing at random would have one
    let k = 0;
    while (grids.get(JSON.stringify([own, k]))?.algorithms.has(algorithm)) k++;
    const place = JSON.stringify([own, k]);
    if (!grids.has(place)) grids.set(place, { own, algorithms: new Map() });
    grids.get(place).algorithms.set(algorithm, params);
  }
  const folders = DATA.with ? [`with: [${DATA.with.map(bare).join(", ")}]`] : []; // of the user's
  return [...folders, "grids:", ...[...grids.values()].flatMap(({ own, algorithms }, k) => [
    `  - name: shown-${k + 1}`,
    ...Object.entries(own).map(([name, value]) => `    ${name}: ${value}`),
    "    algorithms:",
    ...[...algorithms].map(([name, params]) => `      ${name}: {${params}}`),
  ])].join("\n");
}
