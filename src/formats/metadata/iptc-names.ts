/** The type of an IIM 4.2 dataset. */
export interface DatasetFacts {
  readonly name: string;
  /** Whether it may be repeated: then it is an array. */
  readonly repeated: boolean;
  /** Whether it is a binary number. */
  readonly binary: boolean;
}

/** The datasets of records 1, 2, 3, 7 to 9, by `record:dataset`. */
export const datasetNames: ReadonlyMap<string, DatasetFacts> = new Map(
  [
    ...["1:0 ModelVersion #", "1:5 Destination *", "1:20 FileFormat #", "1:22 FileFormatVersion #"],
    ...["1:30 ServiceIdentifier", "1:40 EnvelopeNumber", "1:50 ProductID *"],
    ...["1:60 EnvelopePriority", "1:70 DateSent", "1:80 TimeSent", "1:90 CodedCharacterSet"],
    ...["1:100 UNO", "1:120 ARMIdentifier #", "1:122 ARMVersion #"],
    ...["2:0 RecordVersion #", "2:3 ObjectTypeReference", "2:4 ObjectAttributeReference *"],
    ...["2:5 ObjectName", "2:7 EditStatus", "2:8 EditorialUpdate", "2:10 Urgency"],
    ...["2:12 SubjectReference *", "2:15 Category", "2:20 SupplementalCategory *"],
    ...["2:22 FixtureIdentifier", "2:25 Keywords *", "2:26 ContentLocationCode *"],
    ...["2:27 ContentLocationName *", "2:30 ReleaseDate", "2:35 ReleaseTime"],
    ...["2:37 ExpirationDate", "2:38 ExpirationTime", "2:40 SpecialInstructions"],
    ...["2:42 ActionAdvised", "2:45 ReferenceService *", "2:47 ReferenceDate *"],
    ...["2:50 ReferenceNumber *", "2:55 DateCreated", "2:60 TimeCreated"],
    ...["2:62 DigitalCreationDate", "2:63 DigitalCreationTime", "2:65 OriginatingProgram"],
    ...["2:70 ProgramVersion", "2:75 ObjectCycle", "2:80 By-line *", "2:85 By-lineTitle *"],
    ...["2:90 City", "2:92 Sub-location", "2:95 Province-State"],
    ...["2:100 CountryPrimaryLocationCode", "2:101 CountryPrimaryLocationName"],
    ...["2:103 OriginalTransmissionReference", "2:105 Headline", "2:110 Credit", "2:115 Source"],
    ...["2:116 CopyrightNotice", "2:118 Contact *", "2:120 Caption-Abstract"],
    ...["2:121 LocalCaption", "2:122 Writer-Editor *", "2:130 ImageType"],
    ...["2:131 ImageOrientation", "2:135 LanguageIdentifier"],
    ...["7:10 SizeMode #", "7:20 MaxSubfileSize #", "7:90 ObjectSizeAnnounced #"],
    ...["7:95 MaximumObjectSize #", "9:10 ConfirmedObjectSize #"],
  ].map((row) => {
    const [key = "", name = "", mark] = row.split(" ");
    return [key, { name, repeated: mark === "*", binary: mark === "#" }];
  }),
);
