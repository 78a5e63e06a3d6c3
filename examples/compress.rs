//! Compresses a document with the service inside the program: `cargo run --example compress` beside report.pdf.

use recto::{Call, Client, OptimizeOptions, Profile};
use recto_service::LocalService;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = LocalService::start()?;
    let client = Client::builder().base_url(service.base_url()).api_key(service.api_key().clone()).build()?;

    let options = OptimizeOptions { profile: Some(Profile::Web) };
    client.start("report.pdf", options, &Call::new())?.save("small.pdf", &Call::new())?;
    Ok(())
}
