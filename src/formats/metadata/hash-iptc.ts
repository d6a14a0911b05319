import type { Findings } from "./findings.ts";
import { decodedDatasets } from "./iptc.ts";

/** A dataset in the form of Cantaloupe's delegates: one name with its value. */
export type IptcHash = Readonly<Record<string, string | number>>;

/** All datasets that Cantaloupe names, in the order of the file, including repetitions. */
export const iptcHashes = (block: Buffer, findings: Findings): readonly IptcHash[] =>
  decodedDatasets(block, findings).flatMap(({ key, bytes, text }) => {
    const fact = names.get(key);
    if (fact === undefined) return [];
    const isNumber = fact.isNumber && bytes.length > 0 && bytes.length <= 4;
    return [{ [fact.name]: isNumber ? bytes.readUIntBE(0, bytes.length) : text }];
  });

/** Names by `record:dataset`; `#` marks binary numbers. */
const names: ReadonlyMap<string, { readonly name: string; readonly isNumber: boolean }> = new Map(
  [
    ...["1:0 EnvelopeRecordVersion #", "1:5 Destination", "1:20 FileFormat #"],
    ...["1:22 FileVersion #", "1:30 ServiceIdentifier", "1:40 EnvelopeNumber", "1:50 ProductID"],
    ...["1:60 EnvelopePriority", "1:70 DateSent", "1:80 TimeSent", "1:90 CodedCharacterSet"],
    ...["1:100 UniqueObjectName", "1:120 ARMIdentifier #", "1:122 ARMVersion #"],
    ...["2:0 ApplicationRecordVersion #", "2:3 ObjectTypeReference"],
    ...["2:4 ObjectAttributeReference", "2:5 ObjectName", "2:7 EditStatus"],
    ...["2:8 EditorialUpdate", "2:10 Urgency", "2:12 SubjectReference", "2:15 Category"],
    ...["2:20 SupplementalCategories", "2:22 FixtureIdentifier", "2:25 Keywords"],
    ...["2:26 ContentLocationCode", "2:27 ContentLocationName", "2:30 ReleaseDate"],
    ...["2:35 ReleaseTime", "2:37 ExpirationDate", "2:38 ExpirationTime"],
    ...["2:40 SpecialInstructions", "2:42 ActionAdvised", "2:45 ReferenceService"],
    ...["2:47 ReferenceDate", "2:50 ReferenceNumber", "2:55 DateCreated", "2:60 TimeCreated"],
    ...["2:62 DigitalCreationDate", "2:63 DigitalCreationTime", "2:65 OriginatingProgram"],
    ...["2:70 ProgramVersion", "2:75 ObjectCycle", "2:80 ByLine", "2:85 ByLineTitle", "2:90 City"],
    ...["2:92 SubLocation", "2:103 OriginalTransmissionReference", "2:105 Headline"],
    ...["2:110 Credit", "2:115 Source", "2:116 CopyrightNotice", "2:118 Contact"],
    ...["2:130 ImageType", "2:131 ImageOrientation", "2:135 LanguageIdentifier", "2:150 AudioType"],
    ...["2:151 AudioSamplingRate", "2:152 AudioSamplingResolution", "2:153 AudioDuration"],
    ...["2:154 AudioOutcue", "2:184 JobID", "2:185 MasterDocumentID", "2:186 ShortDocumentID"],
    ...["2:187 UniqueDocumentID", "2:188 OwnerID", "2:200 ObjectPreviewFileFormat #"],
    ...["2:201 ObjectPreviewFileFormatVer #", "2:221 Prefs", "2:225 ClassifyState"],
    ...["2:228 SimilarityIndex", "2:230 DocumentNotes", "2:231 DocumentHistory"],
    ...["2:232 ExifCameraInfo", "2:255 CatalogSets"],
  ].map((row) => {
    const [key = "", name = "", mark] = row.split(" ");
    return [key, { name, isNumber: mark === "#" }];
  }),
);
