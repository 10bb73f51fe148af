//! A plan on the device: submissions with their stamps, and readback through staging buffers.

use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;
use wgpu::{
    BindGroup, BufferDescriptor, BufferUsages, BufferView, CommandBuffer, CommandEncoder, ComputePassDescriptor,
    MapMode,
};

use super::gather::Gather;
use super::memory::Lease;
use super::parameters::Parameters;
use super::{Pipeline, Shared, bind};
use crate::backend::{Done, Loaded, Pending, Span, Words};
use crate::error::Result;
use crate::plan::{Pass, Plan, params};

pub(super) struct LoadedPlan {
    shared: Arc<Shared>,
    pipelines: Vec<Pipeline>,
    groups: Vec<BindGroup>,
    stamp: Pipeline,
    stamp_group: BindGroup,
    stamp_buffer: wgpu::Buffer,
    parameters: Parameters,
    gather: Option<Gather>,
    lease: Lease,
    /// Commands that go before all others.
    first: Option<CommandBuffer>,
}

impl LoadedPlan {
    pub(super) fn new(
        shared: Arc<Shared>,
        pipelines: Vec<Pipeline>,
        stamp: Pipeline,
        gather: Option<Gather>,
        lease: Lease,
        plan: &Plan,
        first: CommandBuffer,
    ) -> Self {
        let all = || plan.passes.iter().chain(&plan.replays);
        let kernel_of = |set: usize| all().find(|pass| pass.bindings == set).map_or(0, |pass| pass.kernel);
        let groups = plan
            .bindings
            .iter()
            .enumerate()
            .map(|(set, buffers)| {
                let kernel = kernel_of(set);
                let numbers = plan.kernels[kernel].bindings.iter().map(|&(number, _)| number);
                let bindings: Vec<_> =
                    numbers.zip(buffers).map(|(number, &id)| (number, &lease.buffers[id], lease.sizes[id])).collect();
                bind(&shared.device, &pipelines[kernel], &bindings)
            })
            .collect();
        let stamp_buffer = shared.device.create_buffer(&BufferDescriptor {
            label: Some("stamp"),
            size: 4,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let stamp_group = bind(&shared.device, &stamp, &[(0, &stamp_buffer, 4)]);
        let parameters = Parameters::new(&shared.parameters);
        Self {
            pipelines,
            groups,
            stamp,
            stamp_group,
            stamp_buffer,
            parameters,
            gather,
            lease,
            shared,
            first: Some(first),
        }
    }

    /// Submits the commands, and copies to a staging buffer, the stamp first where it is wanted, that is mapped when all is there.
    fn finish(&mut self, mut commands: CommandEncoder, stamped: bool, spans: &[Span]) -> Pending<Mapped> {
        let first = if stamped { 4 } else { 0 };
        let size = first + spans.iter().map(|span| span.words * 4).sum::<u64>();
        let staging = self.staging(size);
        commands.copy_buffer_to_buffer(&self.stamp_buffer, 0, &staging, 0, first);
        let gather = self.gather.as_mut();
        match gather.and_then(|gather| gather.gather(&self.shared, &mut commands, spans, &self.lease)) {
            Some(gathered) => commands.copy_buffer_to_buffer(&gathered, 0, &staging, first, size - first),
            None => {
                let mut place = first;
                for span in spans {
                    let source = &self.lease.buffers[span.buffer];
                    commands.copy_buffer_to_buffer(source, span.first * 4, &staging, place, span.words * 4);
                    place += span.words * 4;
                }
            }
        }
        let index = self.shared.queue.submit(self.first.take().into_iter().chain([commands.finish()]));
        let (sender, receiver) = oneshot::channel();
        let (sender, mapped) = (Arc::new(Mutex::new(Some(sender))), staging.clone());
        let take = |sender: &Mutex<Option<_>>| sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        let lost = sender.clone();
        staging.map_async(MapMode::Read, ..size, move |result| {
            // The receiver is gone where the caller gave up; nobody needs the words then.
            if let Some(sender) = take(&sender) {
                let _ = sender.send(result.is_ok().then_some(mapped));
            }
        });
        self.shared.waiter.wait_for(index, move || drop(take(&lost)));
        let shared = self.shared.clone();
        Box::pin(async move {
            let failed = || shared.failure("reading back failed");
            let staging = receiver.await.ok().flatten().ok_or_else(failed)?;
            let view = staging.get_mapped_range(..size).map_err(|_| failed())?;
            Ok(Mapped { view: Some(view), first: first as usize, staging, shared: shared.clone() })
        })
    }

    /// A buffer to read back through, one that was used before where it is large enough.
    fn staging(&self, size: u64) -> wgpu::Buffer {
        let mut idle = self.shared.idle_staging();
        if let Some(place) = idle.iter().position(|buffer| (size..=size * 4).contains(&buffer.size())) {
            return idle.swap_remove(place);
        }
        idle.truncate(MOST_IDLE_STAGING);
        self.shared.device.create_buffer(&BufferDescriptor {
            label: Some("staging"),
            size: size.next_power_of_two(),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }
}

/// A staging buffer while the host looks at it; it is used again afterwards.
struct Mapped {
    view: Option<BufferView>,
    /// Where the words begin, in bytes; the stamp is before them.
    first: usize,
    staging: wgpu::Buffer,
    shared: Arc<Shared>,
}

impl Mapped {
    fn all(&self) -> &[u32] {
        self.view.as_deref().map(bytemuck::cast_slice).unwrap_or_default()
    }
}

impl Words for Mapped {
    fn words(&self) -> &[u32] {
        &self.all()[self.first / 4..]
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.view = None;
        self.staging.unmap();
        self.shared.idle_staging().push(self.staging.clone());
    }
}

/// Staging buffers that wait to be used again.
const MOST_IDLE_STAGING: usize = 8;

impl Loaded for LoadedPlan {
    fn submit(&mut self, passes: &[Pass], stamp: u32, spans: &[Span]) -> Result<Pending<Done>> {
        let all: Vec<_> = passes.iter().map(|pass| pass.params).chain([params([stamp])]).collect();
        self.parameters.write(&self.shared.device, &self.shared.queue, &all);
        let mut commands = self.shared.device.create_command_encoder(&Default::default());
        let mut compute = commands.begin_compute_pass(&ComputePassDescriptor::default());
        let mut bound = (usize::MAX, usize::MAX);
        for (place, pass) in passes.iter().enumerate() {
            if bound.0 != pass.kernel {
                compute.set_pipeline(&self.pipelines[pass.kernel].pipeline);
            }
            if bound != (pass.kernel, pass.bindings) {
                compute.set_bind_group(0, &self.groups[pass.bindings], &[]);
            }
            bound = (pass.kernel, pass.bindings);
            self.parameters.set(&mut compute, place, &all[place]);
            let [x, y, z] = pass.groups;
            compute.dispatch_workgroups(x, y, z);
        }
        compute.set_pipeline(&self.stamp.pipeline);
        compute.set_bind_group(0, &self.stamp_group, &[]);
        self.parameters.set(&mut compute, passes.len(), &all[passes.len()]);
        compute.dispatch_workgroups(1, 1, 1);
        drop(compute);
        let mapped = self.finish(commands, true, spans);
        Ok(Box::pin(async move {
            let words = mapped.await?;
            Ok(Done { stamp: words.all()[0], words: Box::new(words) })
        }))
    }

    fn read(&mut self, spans: &[Span]) -> Result<Pending<Vec<u32>>> {
        if spans.iter().all(|span| span.words == 0) {
            return Ok(Box::pin(async { Ok(Vec::new()) }));
        }
        let commands = self.shared.device.create_command_encoder(&Default::default());
        let mapped = self.finish(commands, false, spans);
        Ok(Box::pin(async move { Ok(mapped.await?.words().to_vec()) }))
    }
}
