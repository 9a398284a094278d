"""Reads a Perfetto trace by its published schema (protos/perfetto/trace of google/perfetto, v59), independently of the writer:
which slices, instants and counts stand on which track. Checks on the way what the schema and Perfetto's rules ask for."""
import collections

VARINT, FIXED64, LENGTH = 0, 1, 2
# message: field: (name, type); a type that is a message's name is that message
SCHEMA = {
    "Trace": {1: ("packet", "TracePacket")},
    "TracePacket": {8: ("timestamp", "uint64"), 10: ("trusted_packet_sequence_id", "uint32"), 11: ("track_event", "TrackEvent"),
                    13: ("sequence_flags", "uint32"), 60: ("track_descriptor", "TrackDescriptor")},
    "TrackDescriptor": {1: ("uuid", "uint64"), 2: ("name", "string"), 3: ("process", "ProcessDescriptor"),
                        4: ("thread", "ThreadDescriptor"), 5: ("parent_uuid", "uint64"), 8: ("counter", "CounterDescriptor")},
    "ProcessDescriptor": {1: ("pid", "int32"), 6: ("process_name", "string")},
    "ThreadDescriptor": {1: ("pid", "int32"), 2: ("tid", "int64"), 5: ("thread_name", "string")},
    "CounterDescriptor": {6: ("unit_name", "string")},
    "TrackEvent": {4: ("debug_annotations", "DebugAnnotation"), 9: ("type", "uint32"), 11: ("track_uuid", "uint64"),
                   22: ("categories", "string"), 23: ("name", "string"), 30: ("counter_value", "int64"),
                   47: ("flow_ids", "fixed64")},
    "DebugAnnotation": {4: ("int_value", "int64"), 6: ("string_value", "string"), 10: ("name", "string")},
}
REPEATED = {"packet", "debug_annotations", "categories", "flow_ids"}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            assert shift <= 70 and value < 1 << 64
            return value, at


def decode(data, message="Trace"):
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = SCHEMA[message][tag >> 3]
        if tag & 7 == VARINT:
            assert kind in ("uint32", "uint64", "int32", "int64"), (name, kind)
            value, at = varint(data, at)
            if kind in ("int32", "int64") and value >> 63:
                value -= 1 << 64
            assert kind != "int32" or -(1 << 31) <= value < 1 << 31
            assert kind != "uint32" or value < 1 << 32
        elif tag & 7 == FIXED64:
            assert kind == "fixed64"
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert tag & 7 == LENGTH and (kind == "string" or kind in SCHEMA), (name, tag & 7)
            length, at = varint(data, at)
            part, at = data[at:at + length], at + length
            assert len(part) == length
            value = part.decode("utf-8") if kind == "string" else decode(part, kind)
        if name in REPEATED:
            found.setdefault(name, []).append(value)
        else:
            assert name not in found, name
            found[name] = value
    return found


Slice = collections.namedtuple("Slice", "track name start end depth category notes flows")  # end None: it does not end
Instant = collections.namedtuple("Instant", "track name time category notes flows")


class Trace:
    """tracks: path of names (from the top) by id; processes, threads: their numbers by id of track."""

    def __init__(self, data):
        self.descriptors, self.slices, self.instants, self.counts, events = {}, [], [], [], []
        packets = decode(data)["packet"]
        assert packets[0]["sequence_flags"] == 1
        for packet in packets:
            assert packet["trusted_packet_sequence_id"] == 1
            if "track_descriptor" in packet:
                d = packet["track_descriptor"]
                assert d["uuid"] and d["uuid"] not in self.descriptors
                assert d.get("parent_uuid", d["uuid"] - 1) in self.descriptors or "parent_uuid" not in d
                self.descriptors[d["uuid"]] = d
            elif "track_event" in packet:
                events.append((packet["timestamp"], packet["track_event"]))
        self.processes = {u: d["process"]["pid"] for u, d in self.descriptors.items() if "process" in d}
        self.threads = {u: (d["thread"]["pid"], d["thread"]["tid"]) for u, d in self.descriptors.items() if "thread" in d}
        self.tracks = {u: self.name(u) for u in self.descriptors}
        self.read(sorted(events, key=lambda e: e[0]))  # stable, as Perfetto sorts

    def name(self, uuid):
        d = self.descriptors[uuid]
        own = d.get("name") or d.get("process", {}).get("process_name") or d["thread"]["thread_name"]
        return (*(self.name(d["parent_uuid"]) if "parent_uuid" in d else ()), own)

    def read(self, events):
        open_slices = collections.defaultdict(list)
        for time, event in events:
            track, kind = event["track_uuid"], event["type"]
            assert track in self.descriptors
            assert (kind == COUNTER) == ("counter" in self.descriptors[track])
            notes = {n["name"]: n.get("int_value", n.get("string_value")) for n in event.get("debug_annotations", [])}
            assert len(notes) == len(event.get("debug_annotations", []))
            more = (event.get("categories", [None])[0], notes, event.get("flow_ids", []))
            if kind == COUNTER:
                self.counts.append((self.tracks[track], time, event["counter_value"]))
            elif kind == INSTANT:
                self.instants.append(Instant(self.tracks[track], event["name"], time, *more))
            elif kind == BEGIN:
                depth = len(open_slices[track])
                open_slices[track].append(Slice(self.tracks[track], event["name"], time, None, depth, *more))
            else:
                assert kind == END
                self.slices.append(open_slices[track].pop()._replace(end=time))
        self.slices += [s for rest in open_slices.values() for s in rest]
        self.slices.sort(key=lambda s: s.start)

    def of(self, category):
        return [s for s in self.slices if s.category == category]
