"""A second reader of rocpd files, after the conventions of rocprofv3's own writer and what its converters ask of a producer. It uses
none of the file's views: rows of tables, joined here, and a reference that is missing or leads nowhere ends it."""
import json
import sqlite3


class Rocpd:
    """kernels, copies, ranges, marks, counters: lists of dictionaries, what a row refers to in the place of the reference. agents,
    queues, streams, threads, code_objects: what is listed, whether used or not."""

    def __init__(self, path):
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        names = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        [metadata] = [n for n in names if n.startswith("rocpd_metadata_")]
        self.uuid = metadata[len("rocpd_metadata"):]
        self.tables = {n[len("rocpd_"):-len(self.uuid)]: {r["id"]: dict(r) for r in db.execute(f'SELECT * FROM "{n}"')}
                       for n in names if n.startswith("rocpd_") and n.endswith(self.uuid)}
        db.close()
        self.agents = [self.whole("info_agent", a) for a in self.tables["info_agent"].values()]
        self.queues, self.streams, self.threads, self.code_objects = (
            [self.whole(t, r) for r in self.tables[t].values()] for t in ("info_queue", "info_stream", "info_thread", "info_code_object"))
        self.kernels = [self.whole("kernel_dispatch", r) for r in self.tables["kernel_dispatch"].values()]
        self.copies = [self.whole("memory_copy", r) for r in self.tables["memory_copy"].values()]
        self.ranges = [self.whole("region", r) for r in self.tables["region"].values()]
        self.marks = [self.whole("sample", r) for r in self.tables["sample"].values()]
        by_event = {k["event"]["id"]: k for k in self.kernels}
        assert len(by_event) == len(self.kernels), "an event for each dispatch"
        self.counters = [self.counter(r, by_event) for r in self.tables["pmc_event"].values()]

    REFERENCES = {"nid": "info_node", "pid": "info_process", "tid": "info_thread", "agent_id": "info_agent",
                  "dst_agent_id": "info_agent", "src_agent_id": "info_agent", "queue_id": "info_queue", "stream_id": "info_stream",
                  "kernel_id": "info_kernel_symbol", "code_object_id": "info_code_object", "event_id": "event", "name_id": "string",
                  "region_name_id": "string", "category_id": "string", "track_id": "track", "pmc_id": "info_pmc"}
    OWN = {("info_process", "pid"), ("info_thread", "tid")}  # the system's numbers
    OPTIONAL = {("memory_copy", "region_name_id")}  # AMD's views join it with LEFT

    def whole(self, table, row):
        found = {}
        for column, value in row.items():
            other = self.REFERENCES.get(column)
            if not other or (table, column) in self.OWN:
                found[column] = value
                continue
            if value is None and (table, column) in self.OPTIONAL:
                continue
            assert value in self.tables[other], (table, row["id"], column, value)
            target = self.tables[other][value]
            key = column[:-3] if column.endswith("_id") else other.split("_")[-1]
            found[key] = target["string"] if other == "string" else self.whole(other, target)
        if "extdata" in found:
            found["extdata"] = json.loads(found["extdata"])
        return found

    def counter(self, row, by_event):
        found = self.whole("pmc_event", row)
        kernel = by_event[found["event"]["id"]]
        assert found["pmc"]["agent"]["id"] == kernel["agent"]["id"], "a counter of the dispatch's own GPU"
        assert found["pmc"]["is_derived"] == 1 and found["pmc"]["value_type"] == "ACCUM" and found["pmc"]["target_arch"] == "GPU"
        return {**found, "kernel": kernel}


def check_numbers(r):
    """Numbers by which converters name things: the CPU is agent 0, GPUs follow; threads and processes have the system's numbers."""
    assert sorted(a["absolute_index"] for a in r.agents) == list(range(len(r.agents)))
    assert [a["type"] for a in sorted(r.agents, key=lambda a: a["absolute_index"])] == ["CPU"] + ["GPU"] * (len(r.agents) - 1)
    assert all(a["id"] == a["absolute_index"] for a in r.agents) and all(t["id"] == t["tid"] for t in r.threads)
    for kind in "CPU", "GPU":
        assert sorted(a["type_index"] for a in r.agents if a["type"] == kind) == list(range(sum(a["type"] == kind for a in r.agents)))
    assert all(p["id"] == p["pid"] and p["command"] for p in r.tables["info_process"].values())
    assert 0 in r.tables["info_queue"] and 0 in r.tables["info_stream"]
    for what in r.kernels:
        assert what["start"] <= what["end"] and what["event"]["category"] == "KERNEL_DISPATCH" and what["agent"]["type"] == "GPU"
        assert what["kernel"]["code_object"]["agent"]["id"] == what["agent"]["id"]
    assert all(c["event"]["category"] == "MEMORY_COPY" and c["start"] <= c["end"] for c in r.copies)
    # what is on a thread's line of ranges and marks has its text where converters look for it
    assert all(isinstance(x["event"]["extdata"]["message"], str) for x in r.ranges + r.marks)
    ids = [x["event"]["stack_id"] for x in r.kernels + r.copies + r.ranges + r.marks]
    assert len(set(ids)) == len(ids), "an id for everything that happened"
